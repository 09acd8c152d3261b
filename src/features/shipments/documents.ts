import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { openFrom, organizationsInClear, sealClear } from '../../platform/db/sealed-column.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { documentRow, SEALED, SHIPMENT_DOCUMENT } from './store-documents.ts';
import { clearNamesOrganizations, dropClearNames } from './store-place-names.ts';

/**
 * What the carrier said of a shipment when it changed last; null where no shipment is stored, or
 * its document cannot be decrypted.
 */
export async function shipmentDocument(
  scope: ReadScope,
  { carrier, accountId, id }: ShipmentIdentity,
): Promise<string | null> {
  const key = [carrier, accountId, id];
  const row = await documentRow(scope, key);
  return row && openFrom(scope, SHIPMENT_DOCUMENT, key, { box: row.raw_box, clear: row.raw });
}

/** Organisations with data of parcels that a former version stored in clear. */
export async function organizationsToSealShipments(handle: Handle): Promise<string[]> {
  const inClear = await organizationsInClear(handle, SEALED);
  return [...new Set([...inClear, ...(await clearNamesOrganizations(handle))])];
}

/**
 * Seals carriers' documents and data of buyers that a former version stored in clear.
 * @returns how many rows, `limit` at most
 */
export async function sealShipments(scope: WriteScope, limit: number): Promise<number> {
  const sealed = await sealClear(scope, SEALED, limit);
  return sealed + (await dropClearNames(scope, limit - sealed));
}
