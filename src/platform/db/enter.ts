import type pg from 'pg';
import { statement } from './query.ts';
import type { WriteScope } from './scopes.ts';

/**
 * The first statement of a transaction of an organisation: it fails where the organisation is
 * erased, and until its end the erasure waits.
 */
export async function enter(
  client: pg.ClientBase,
  organizationId: string,
  isNamed = true,
): Promise<void> {
  await client.query({
    ...(isNamed && { name: 'enter' }),
    text: 'select enter_organization($1)',
    values: [organizationId],
  });
}

const ENTER = statement<object>('organizations.enter', 'select enter_organization($1)');

/**
 * The same within a transaction of no organisation or of another one, before it writes a row of
 * this one. @throws Failure not_found, with the end of the transaction, where it is erased
 */
export async function enterFrom(scope: WriteScope): Promise<void> {
  if (!scope.isEntered) await scope.prepared(ENTER, []);
}
