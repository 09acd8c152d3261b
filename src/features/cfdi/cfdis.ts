import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Vault } from '../../platform/db/vault.ts';
import type { OrderListener } from '../orders/index.ts';
import { announceIssued } from './cfdi-events.ts';
import { typeOf } from './kinds.ts';
import { nextLook } from './look-times.ts';
import { unpack } from './packed.ts';
import { directionOf, ownRfcs } from './profile.ts';
import { annotateOrdersOf, isOwnSale, relateCfdis } from './relate-cfdis.ts';
import * as store from './store-cfdis.ts';
import { inheritLinks } from './store-inherited.ts';
import { linkReported } from './store-links.ts';
import { withheldFactsOf } from './withheld.ts';
import type { ReadDocument } from './xml/reading.ts';
import type { CfdiRecord, Complement, TaxDocument, WithholdingRecord } from './xml/record.ts';

const PAGE = 500;

/**
 * Stores documents by their folio, with what follows from them. One that is known stays as it is.
 * @param source `upload`, or the marketplace that gave them
 * @param listeners handle the change of an order that gets its invoice
 * @param options whether customers are notified of those that are issued
 * @returns the folios that are new
 */
export async function recordCfdis(
  scope: WriteScope,
  source: string,
  documents: readonly ReadDocument[],
  listeners: readonly OrderListener[],
  { announce } = { announce: true },
): Promise<string[]> {
  // Of two with one folio the first counts.
  const byUuid = new Map(documents.toReversed().map((one) => [one.record.uuid, one]));
  const known = await store.known(scope, [...byUuid.keys()]);
  const own = await ownRfcs(scope);
  const vault = await scope.vault();
  const now = scope.clock.now().toString();
  const firstLook = nextLook(scope.clock.now(), scope.clock.now());
  // In one order, so that two transactions with the same folios wait in turn.
  const fresh = [...byUuid.values()]
    .filter(({ record }) => !known.has(record.uuid))
    .map((one) => ({ ...one, direction: directionOf(own, one.record) }))
    .sort((a, b) => (a.record.uuid < b.record.uuid ? -1 : 1));
  const rows = fresh.map(({ record, text, xml, direction }) => ({
    uuid: record.uuid,
    kind: record.kind,
    type: typeOf(record),
    direction,
    issuer_rfc: record.issuer_rfc,
    receiver_rfc: record.receiver_rfc,
    currency: record.kind === 'cfdi' ? record.currency : 'MXN',
    total: record.kind === 'cfdi' ? record.total : record.operation_total,
    issued_at: record.issued_at,
    source,
    recorded_at: now,
    related_at: now,
    ask_at: record.kind === 'cfdi' ? now : null,
    look_at: isOwnSale(record, direction) ? firstLook : null,
    record_box: vault.seal(bindingOf(record.uuid, 'record'), Buffer.from(text)),
    xml_box: vault.seal(bindingOf(record.uuid, 'packed_xml'), Buffer.from(xml.packed)),
    xml_size: xml.size,
    ...withheldFactsOf(record),
  }));
  const added = new Set(rows.length > 0 ? await store.insert(scope, rows) : []);
  const related = fresh.filter(({ record }) => added.has(record.uuid));
  await relateCfdis(scope, related, listeners);
  if (announce) await announceIssued(scope, related);
  // A known folio may have come from another marketplace now, with other orders. What another
  // transaction stored meanwhile is known as well, after the insert that waited for it.
  const stored = [...byUuid.keys()].filter((uuid) => !added.has(uuid));
  const again = await inheritLinks(scope, await linkReported(scope, stored));
  if (again.length > 0) await annotateOrdersOf(scope, again, listeners);
  return [...added];
}

export function openRecord(vault: Vault, uuid: string, box: Buffer): TaxDocument {
  const record = JSON.parse(vault.open(bindingOf(uuid, 'record'), box).toString());
  return { ...record, complements: record.complements.map(complementOf) } as TaxDocument;
}

/** As an older release stored it, too. */
function complementOf({ isRead, ...given }: Complement & { readonly isRead?: boolean }) {
  return isRead === undefined ? given : { ...given, is_read: isRead };
}

/**
 * Stores what a former release did not store of its documents: whom they name, and what they
 * withhold. @returns how many
 */
export async function completeOlder(
  scope: WriteScope,
  listeners: readonly OrderListener[],
  limit: number,
): Promise<number> {
  const rows = await store.incomplete(scope, limit);
  const vault = await scope.vault();
  const documents = rows.map(({ uuid, direction, record_box }) => ({
    direction,
    record: openRecord(vault, uuid, record_box),
  }));
  await relateCfdis(scope, documents, listeners);
  await store.complete(
    scope,
    documents.map(({ record }) => ({ uuid: record.uuid, ...withheldFactsOf(record) })),
  );
  return rows.length;
}

/** The XML of documents, byte by byte as they came, by their folios. */
export async function xmlOf(
  scope: ReadScope,
  uuids: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await store.xmlOf(scope, uuids);
  const vault = await scope.vault();
  return new Map(
    rows.map(({ uuid, xml_box, xml_size: size }) => [
      uuid,
      size === null
        ? vault.open(bindingOf(uuid, 'xml'), xml_box)
        : unpack({ size, packed: vault.open(bindingOf(uuid, 'packed_xml'), xml_box) }),
    ]),
  );
}

/** A CFDI or a certificate; null = there is none with this folio. */
export async function documentOf(scope: ReadScope, uuid: string): Promise<TaxDocument | null> {
  const [cfdi] = await records<CfdiRecord>(scope, 'cfdi', uuid);
  return cfdi ?? (await records<WithholdingRecord>(scope, 'withholding', uuid))[0] ?? null;
}

/** All CFDI, oldest first; or the one with this folio. */
export function cfdis(scope: ReadScope, uuid: string | null): Promise<CfdiRecord[]> {
  return records<CfdiRecord>(scope, 'cfdi', uuid);
}

async function records<Of extends TaxDocument>(
  scope: ReadScope,
  kind: Of['kind'],
  uuid: string | null,
): Promise<Of[]> {
  const vault = await scope.vault();
  const opened: Of[] = [];
  const open = (row: { uuid: string; record_box: Buffer }) =>
    opened.push(openRecord(vault, row.uuid, row.record_box) as Of);
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

/** A former release stored the XML unpacked. */
function bindingOf(uuid: string, field: 'record' | 'xml' | 'packed_xml'): readonly string[] {
  return ['cfdi', uuid, field];
}
