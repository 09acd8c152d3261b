import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { sha256 } from '../../../platform/ids.ts';
import { ORDER, REPRESENTATION } from './fields.ts';
import { ITEM } from './item-fields.ts';
import { ORDER_DETAIL, ORDER_IN_LISTS } from './render.ts';

/** The digest of the public fields in each representation. An entry is never changed. */
const PINNED: Readonly<Record<number, string>> = {
  1: 'a817da04792310692fbe0e1c2c3bae4a2f720e7ee42b01dfacd1bd8a8aa894e3',
  2: 'a817da04792310692fbe0e1c2c3bae4a2f720e7ee42b01dfacd1bd8a8aa894e3',
  3: 'a817da04792310692fbe0e1c2c3bae4a2f720e7ee42b01dfacd1bd8a8aa894e3',
  4: 'a817da04792310692fbe0e1c2c3bae4a2f720e7ee42b01dfacd1bd8a8aa894e3',
};
/**
 * Parts that may change without changing a stored order: sentences, and words that no stored order
 * has yet.
 */
const PROSE = ['description', 'examples', 'enum'];

test('fields of the public order change with a new representation only', () => {
  const pinned = PINNED[REPRESENTATION];
  const digest = digestOfFields();
  const entry = (representation: number) => `${representation}: '${digest}'`;

  assert.ok(
    pinned !== undefined,
    `REPRESENTATION is ${REPRESENTATION}: add «${entry(REPRESENTATION)}» to PINNED of this file`,
  );
  assert.equal(
    digest,
    pinned,
    `The fields of the public order changed, and REPRESENTATION is still ${REPRESENTATION}: stored orders would go on ` +
      'showing the old ones. Raise it in src/features/orders/public/fields.ts and add ' +
      `«${entry(REPRESENTATION + 1)}» to PINNED of this file. A field that says something of the buyer also belongs in ` +
      'src/features/orders/buyer.ts. docs/how-to/change-what-an-order-shows.md says the rest',
  );
});

/**
 * Names in their order, types, what lists have, what only some readers see, and which property of
 * ours each field shows.
 */
function digestOfFields(): string {
  const sources = [ORDER, ITEM].map((members) =>
    Object.entries(members).map(([name, { properties, isEarnings }]) => ({
      name,
      properties,
      isEarnings,
    })),
  );
  const shapes = [ORDER_DETAIL, ORDER_IN_LISTS].map(({ type }) => z.toJSONSchema(type));
  return sha256(
    JSON.stringify([sources, shapes], (key, value) => (isProse(key, value) ? undefined : value)),
  );
}

/** A field may have such a name, too; then it is an object. */
function isProse(key: string, value: unknown): boolean {
  return PROSE.includes(key) && (typeof value === 'string' || Array.isArray(value));
}
