import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  MOST_UNITS,
  recordEquivalences,
  removeEquivalence,
} from '../../../features/warehouse/index.ts';
import { count, inputOf, wording } from '../../../platform/input-fields.ts';
import { defineWrite } from '../operation.ts';
import { code, skuField } from './products.ts';

const EQUIVALENCE = {
  marketplace: z
    .enum(MARKETPLACES)
    .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
  account_id: wording('La cuenta; sin ella, todas.', '468424241'),
  code: code('El SKU o la publicación en el marketplace.', 'MLM1234567890'),
  sku: skuField,
};

/** Says which product of ours, and how many of it, a marketplace's code is. */
export const addEquivalenceOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({
    ...EQUIVALENCE,
    units: count(1, MOST_UNITS, 'Cuántas piezas del SKU propio.', 1).default(1),
  }),
  output: z.object({ changed: z.boolean() }),
  async run({ database }, equivalence) {
    const changed = await database.write((scope) => recordEquivalences(scope, [equivalence]));
    return { changed: changed > 0 };
  },
});

export const removeEquivalenceOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf(EQUIVALENCE),
  /** False = there was none. */
  output: z.object({ removed: z.boolean() }),
  run: async ({ database }, equivalence) => ({
    removed: await database.write((scope) => removeEquivalence(scope, equivalence)),
  }),
});
