import { carriersThat } from '../../carriers/registry.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { type SealedColumn, sealedColumn } from '../../platform/db/sealed-column.ts';

interface DocumentRow {
  readonly raw: string | null;
  readonly raw_box: Buffer | null;
}

/** What a carrier's own data model keeps sealed of a shipment. */
interface SealedDetails {
  readonly document: SealedColumn;
  /** What may identify a buyer, as one JSON object of columns. */
  readonly personal: SealedColumn;
}

/** The carrier's document of a shipment. */
export const SHIPMENT_DOCUMENT = sealedColumn({
  table: 'shipments',
  keys: ['carrier', 'account_id', 'id'],
  clear: ['raw'],
  box: 'raw_box',
});

const DETAIL_KEYS = ['account_id', 'tracking_number'];

const ofDetails: ReadonlyMap<string, SealedDetails> = new Map(
  carriersThat(({ facts }) => facts.details !== null)
    .flatMap(({ facts }) => facts.details ?? [])
    .map(({ name: table, personal }) => [
      table,
      {
        document: sealedColumn({
          table,
          keys: DETAIL_KEYS,
          clear: ['raw'],
          box: 'raw_box',
          digest: 'raw_digest',
        }),
        personal: sealedColumn({
          table,
          keys: DETAIL_KEYS,
          clear: personal,
          box: 'personal_box',
          purpose: 'personal',
        }),
      },
    ]),
);

/** @param table a carrier's own data model */
export function sealedDetails(table: string): SealedDetails {
  const sealed = ofDetails.get(table);
  if (!sealed) throw new Error(`${table} is no carrier's data model`);
  return sealed;
}

/** Every sealed column of shipments. */
export const SEALED: readonly SealedColumn[] = [
  SHIPMENT_DOCUMENT,
  ...[...ofDetails.values()].flatMap(({ document, personal }) => [document, personal]),
];

const DOCUMENT = statement<DocumentRow>(
  'shipments.document',
  `select raw, raw_box from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = $4`,
);

/** @param key carrier, account and id */
export async function documentRow(
  scope: ReadScope,
  key: readonly string[],
): Promise<DocumentRow | null> {
  const [row] = await scope.prepared(DOCUMENT, [...key]);
  return row ?? null;
}
