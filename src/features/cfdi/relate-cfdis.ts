import type { WriteScope } from '../../platform/db/database.ts';
import type { Decimal } from '../../platform/money.ts';
import {
  annotate,
  ensureClock,
  type ListenersOf,
  type OrderIdentity,
  type OrderListener,
  orderKey,
  orderTotals,
  packTotals,
} from '../orders/index.ts';
import { type CfdiDirection, typeOf } from './kinds.ts';
import { namesIn, surelyNamed } from './named-orders.ts';
import { inheritLinks } from './store-inherited.ts';
import * as store from './store-links.ts';
import type { CfdiRecord, PaidDocument, Payment, TaxDocument } from './xml/record.ts';

/** The relation of a payment to the invoice that it pays; others are codes of the SAT. */
export const PAYMENT = 'pago';

export interface DirectedDocument {
  readonly record: TaxDocument;
  readonly direction: CfdiDirection;
}

/**
 * Stores which documents and which orders these documents name; what marketplaces reported comes
 * first. Orders get their invoice.
 */
export async function relateCfdis(
  scope: WriteScope,
  documents: readonly DirectedDocument[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const records = documents.map(({ record }) => record);
  await store.relate(scope, records.flatMap(relationsIn));
  const uuids = records.map(({ uuid }) => uuid);
  const reported = await store.linkReported(scope, uuids);
  const named = await linkNamed(scope, documents);
  // Those that name an order have it by now.
  const substitutes = records.filter(substitutesOthers).map(({ uuid }) => uuid);
  const linked = await inheritLinks(scope, [...substitutes, ...reported, ...named]);
  await annotateOrdersOf(scope, [...new Set([...uuids, ...linked])], listeners);
}

function substitutesOthers(record: TaxDocument): boolean {
  return (
    record.kind === 'cfdi' && record.related.some(({ relation }) => relation === store.SUBSTITUTION)
  );
}

/** Updates the orders that these documents are linked to. */
export async function annotateOrdersOf(
  scope: WriteScope,
  uuids: readonly string[],
  listeners: readonly OrderListener[],
): Promise<void> {
  await annotateLinked(scope, await store.linksOf(scope, uuids), () => listeners);
}

/** Updates the orders of links. */
export async function annotateLinked(
  scope: WriteScope,
  links: readonly store.OrderLink[],
  listenersOf: ListenersOf,
): Promise<void> {
  for (const [isBackfill, some] of Map.groupBy(links, (link) => link.isBackfill)) {
    const orders = some.map(({ order }) => order);
    await annotateOrders(scope, orders, listenersOf(isBackfill));
  }
}

/** Shows orders their invoices as they are linked now. */
export async function annotateOrders(
  scope: WriteScope,
  given: readonly OrderIdentity[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const orders = [...new Map(given.map((order) => [orderKey(order), order])).values()];
  if (orders.length === 0) return;
  // Another transaction may link an invoice to the same order: the last one decides which counts.
  await ensureClock(scope);
  const invoices = await store.invoicesOf(scope, orders);
  await annotate(
    scope,
    invoices.map(({ order, cfdi }) => ({ order, annotation: { cfdi } })),
    listeners,
  );
  await store.markAnnotated(scope, orders);
}

/** The housekeeping updates the orders that these documents are linked to. */
export async function annotateLater(scope: WriteScope, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  // Another transaction may be showing one of them as it was before.
  await ensureClock(scope);
  await store.setPending(scope, uuids);
}

/** Orders that were stored after their invoice. @returns how many links were looked at */
export async function annotateLateOrders(
  scope: WriteScope,
  listenersOf: ListenersOf,
  limit: number,
): Promise<number> {
  const links = await store.pendingLinks(scope, limit);
  await annotateLinked(scope, links, listenersOf);
  return links.length;
}

/** Links own sales to the stored orders that they name. @returns the folios with new links */
export async function linkNamed(
  scope: WriteScope,
  documents: readonly DirectedDocument[],
): Promise<string[]> {
  const named = documents.flatMap(({ record, direction }) =>
    isOwnSale(record, direction) ? [{ record, names: namesIn(record) }] : [],
  );
  const ids = [...new Set(named.flatMap(({ names }) => [...names.keys()]))];
  if (ids.length === 0) return [];
  const orders = await orderTotals(scope, ids);
  const packs = await packTotals(scope, ids);
  if (orders.length + packs.length === 0) return [];
  const links = named.flatMap(({ record, names }) => {
    const its = orders.filter(({ id }) => names.has(id));
    const inPacks = packs.filter(({ packId }) => packId !== null && names.has(packId));
    return surelyNamed(record, names, its, inPacks).map((order) => ({ uuid: record.uuid, order }));
  });
  return store.link(scope, 'document', links);
}

export function isOwnSale(record: TaxDocument, direction: CfdiDirection): record is CfdiRecord {
  return typeOf(record) === 'ingreso' && direction !== 'received';
}

function relationsIn(record: TaxDocument) {
  if (record.kind !== 'cfdi') return [];
  const { uuid, related, payments } = record;
  const named = related.flatMap(({ relation, uuids }) =>
    uuids.map((related_uuid) => ({ relation, related_uuid, amount: null })),
  );
  const paid = payments.flatMap((payment) =>
    payment.documents.flatMap((document) =>
      document.uuid === null
        ? []
        : [{ relation: PAYMENT, related_uuid: document.uuid, amount: paidOf(payment, document) }],
    ),
  );
  return [...named, ...paid].map((one, index) => ({ uuid, place: index, ...one }));
}

/** What a payment pays of a document; in 1.0 one alone, of its currency, need not say it. */
function paidOf({ amount, currency, documents }: Payment, document: PaidDocument): Decimal | null {
  const isAlone = documents.length === 1 && document.currency === currency;
  return document.paid ?? (isAlone ? amount : null);
}
