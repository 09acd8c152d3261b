import { carriersThat } from '../../carriers/registry.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { openText, sealText } from '../../platform/db/sealed-text.ts';
import type { Vault } from '../../platform/db/vault.ts';
import { SealError } from '../../platform/seal.ts';
import type { ShipmentIdentity } from './shipment.ts';
import * as store from './store-documents.ts';

const SHIPMENTS = store.documentTable('shipments', ['carrier', 'account_id', 'id'], {
  hasDigest: false,
});
/** Of the carriers' own data models. */
const DETAILS = carriersThat(({ facts }) => facts.details !== null).flatMap(({ facts }) =>
  facts.details
    ? store.documentTable(facts.details.name, ['account_id', 'tracking_number'], {
        hasDigest: true,
      })
    : [],
);

/**
 * What the carrier said of a shipment when it changed last; null where no shipment is stored, or
 * what is kept of it does not open.
 */
export async function shipmentDocument(
  scope: ReadScope,
  { carrier, accountId, id }: ShipmentIdentity,
): Promise<string | null> {
  const key = [carrier, accountId, id];
  const kept = await store.documentIn(scope, SHIPMENTS, key);
  if (!kept?.raw_box) return kept?.raw ?? null;
  try {
    return await openText(await scope.vault(), [SHIPMENTS.name, ...key], kept.raw_box);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * For a row of the table. The box opens nowhere else; the digest is what documents of one row are
 * compared by.
 * @param key of the row in its organisation, as the table has it
 */
export async function sealDocument(
  vault: Vault,
  table: string,
  key: readonly string[],
  document: string,
): Promise<store.Sealed> {
  const place = [table, ...key];
  return {
    box: await sealText(vault, place, document),
    digest: vault.digest(place, Buffer.from(document)),
  };
}

/** Organisations with documents of carriers that were kept before those were sealed. */
export async function organizationsToSealShipments(handle: Handle): Promise<string[]> {
  const found = new Set<string>();
  for (const table of [SHIPMENTS, ...DETAILS])
    for (const id of await store.unsealedOrganizations(handle, table)) found.add(id);
  return [...found];
}

/**
 * Seals documents of carriers that a former version kept of an organisation's shipments.
 * @returns how many, `limit` at most
 */
export async function sealShipments(scope: WriteScope, limit: number): Promise<number> {
  // Before the rows: who records and makes the key would wait for them.
  const vault = await scope.vault();
  let sealed = 0;
  for (const table of [SHIPMENTS, ...DETAILS]) {
    const rows = await store.lockUnsealed(scope, table, limit - sealed);
    for (const { key, raw } of rows)
      await store.seal(scope, table, key, await sealDocument(vault, table.name, key, raw));
    sealed += rows.length;
  }
  return sealed;
}
