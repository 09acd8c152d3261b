import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { organizationsInClear, sealClear } from '../../platform/db/sealed-column.ts';
import { SEALED as OF_ATTEMPTS } from './guides/store-guide-attempts.ts';
import { OVERRIDES } from './guides/store-guide-batches.ts';
import { DESTINATION } from './lines/store-line-rows.ts';

const SEALED = [DESTINATION, ...OF_ATTEMPTS, OVERRIDES];

/** Organisations with addresses or labels that a former version stored in clear. */
export function organizationsToSealWarehouse(handle: Handle): Promise<string[]> {
  return organizationsInClear(handle, SEALED);
}

/** @returns how many texts were sealed, `limit` at most */
export function sealWarehouse(scope: WriteScope, limit: number): Promise<number> {
  return sealClear(scope, SEALED, limit);
}
