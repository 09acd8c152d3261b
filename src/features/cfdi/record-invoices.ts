import type { SourceInvoice } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { AccountSource } from '../connections/index.ts';
import type { OrderIdentity } from '../orders/index.ts';
import * as store from './store.ts';
import { inheritLinks } from './store-inherited.ts';
import { linkReported } from './store-links.ts';

/** A document that a marketplace stores for an order. */
type InvoiceDocument = Omit<SourceInvoice, 'orderIds'>;

/**
 * Stores documents as received and links them to their orders, which need not be stored yet. A
 * complete document stays complete when a later reading returns less.
 * @returns how many were new or different
 */
export async function recordInvoices(
  scope: WriteScope,
  source: AccountSource,
  invoices: readonly SourceInvoice[],
): Promise<number> {
  const last = new Map(
    invoices.map((invoice) => [
      invoice.id,
      { ...invoice, uuid: invoice.uuid?.toUpperCase() ?? null },
    ]),
  );
  if (last.size === 0) return 0;
  const changed = await store.upsert(scope, source, [...last.values()]);
  const links = invoices.flatMap(({ id, orderIds }) =>
    orderIds.map((orderId) => ({ id, orderId })),
  );
  const linked = await store.link(scope, source, links);
  // A CFDI that was read before gets the order as well; the housekeeping shows it in the order.
  if (linked.length > 0) {
    const folios = await store.foliosOf(scope, source, linked);
    await inheritLinks(scope, await linkReported(scope, folios));
  }
  return new Set([...changed, ...linked]).size;
}

/** Ordered by time of issue, oldest first. */
export function invoicesOfOrder(
  scope: ReadScope,
  order: OrderIdentity,
): Promise<InvoiceDocument[]> {
  return store.ofOrder(scope, order);
}
