/**
 * A folder of JSON documents, served as Shopify would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import { readFolder } from '../replay.ts';
import { AS_GIVEN } from './graphql.ts';
import { type Document, fromRest } from './rest-order.ts';

export interface Replay {
  readonly orders: readonly Document[];
  readonly items: readonly Document[];
  /** Undefined = no document says anything of payments. */
  readonly payments: Document | null | undefined;
  readonly ignored: readonly string[];
  order(id: string): Document | undefined;
  item(id: string): Document | undefined;
}

export async function openReplay(folder: string): Promise<Replay> {
  const orders = new Map<string, Document>();
  const items = new Map<string, Document>();
  let payments: Document | null | undefined;

  /** @returns whether there is anything in it to be served. */
  function keep(document: unknown): boolean {
    const data = isRecord(document) && isRecord(document.data) ? document.data : null;
    if (!data || 'errors' in (document as Document)) return keepRest(document);
    const found = [...nodesOf(data.orders), ...(isRecord(data.order) ? [data.order] : [])];
    for (const order of found) orders.set(tailOf(order.id), asGiven(order));
    const stocked = nodesOf(data.inventoryItems);
    for (const item of stocked) items.set(tailOf(item.id), asGiven(item));
    if (isRecord(data.shopifyPaymentsAccount)) payments = asGiven(data.shopifyPaymentsAccount);
    return found.length + stocked.length > 0 || 'shopifyPaymentsAccount' in data;
  }

  /** Orders of the older shape are rendered in the newer one. */
  function keepRest(document: unknown): boolean {
    const rows = isRecord(document) && Array.isArray(document.orders) ? document.orders : [];
    for (const row of rows.filter(isRecord)) orders.set(textOf(row.id) ?? '', fromRest(row));
    return rows.length > 0;
  }

  const ignored = await readFolder(folder, keep);
  return {
    orders: [...orders.values()],
    items: [...items.values()],
    get payments() {
      return payments;
    },
    ignored,
    order: (id) => orders.get(id),
    item: (id) => items.get(id),
  };
}

function nodesOf(page: unknown): Document[] {
  return isRecord(page) && Array.isArray(page.nodes) ? page.nodes.filter(isRecord) : [];
}

function asGiven(document: Document): Document {
  return { ...document, [AS_GIVEN]: true };
}

function tailOf(id: unknown): string {
  return String(id).split('/').at(-1) ?? '';
}
