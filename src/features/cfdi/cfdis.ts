import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import * as store from './store-cfdis.ts';
import type { CfdiRecord, TaxDocument, WithholdingRecord } from './xml/record.ts';

/** A document that was read, with the bytes that it was read from. */
export interface ReadDocument {
  readonly record: TaxDocument;
  readonly xml: Uint8Array;
}

const PAGE = 500;

/**
 * Stores documents by their folio. One that is known stays as it is.
 * @param source `upload`, or the marketplace that gave them
 * @returns the folios that are new
 */
export async function recordCfdis(
  scope: WriteScope,
  source: string,
  documents: readonly ReadDocument[],
): Promise<string[]> {
  const byUuid = new Map(documents.map((one) => [one.record.uuid, one]));
  const known = await store.known(scope, [...byUuid.keys()]);
  const fresh = [...byUuid.values()].filter(({ record }) => !known.has(record.uuid));
  if (fresh.length === 0) return [];
  const vault = await scope.vault();
  const recordedAt = scope.clock.now().toString();
  const rows = fresh.map(({ record, xml }) => ({
    uuid: record.uuid,
    kind: record.kind,
    type: record.kind === 'cfdi' ? record.type : null,
    issuer_rfc: record.issuer_rfc,
    receiver_rfc: record.receiver_rfc,
    currency: record.kind === 'cfdi' ? record.currency : 'MXN',
    total: record.kind === 'cfdi' ? record.total : record.operation_total,
    issued_at: record.issued_at,
    source,
    recorded_at: recordedAt,
    record_box: vault.seal(placeOf(record.uuid, 'record'), Buffer.from(JSON.stringify(record))),
    xml_box: vault.seal(placeOf(record.uuid, 'xml'), Buffer.from(xml)),
  }));
  return store.insert(scope, rows);
}

/** All CFDI, oldest first; or the one with this folio. */
export function cfdis(scope: ReadScope, uuid: string | null): Promise<CfdiRecord[]> {
  return records<CfdiRecord>(scope, 'cfdi', uuid);
}

/** All withholding certificates, oldest first. */
export function withholdings(scope: ReadScope): Promise<WithholdingRecord[]> {
  return records<WithholdingRecord>(scope, 'withholding', null);
}

async function records<Of extends TaxDocument>(
  scope: ReadScope,
  kind: Of['kind'],
  uuid: string | null,
): Promise<Of[]> {
  const vault = await scope.vault();
  const opened: Of[] = [];
  const open = (row: { uuid: string; record_box: Buffer }) =>
    opened.push(JSON.parse(vault.open(placeOf(row.uuid, 'record'), row.record_box).toString()));
  if (uuid !== null) {
    const row = await store.one(scope, kind, uuid.toUpperCase());
    if (row) open(row);
    return opened;
  }
  for (let rows = await store.page(scope, kind, null, PAGE); rows.length > 0; ) {
    rows.forEach(open);
    rows = rows.length < PAGE ? [] : await store.page(scope, kind, rows.at(-1) ?? null, PAGE);
  }
  return opened;
}

function placeOf(uuid: string, field: 'record' | 'xml'): readonly string[] {
  return ['cfdi', uuid, field];
}
