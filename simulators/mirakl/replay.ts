/**
 * A folder of JSON documents, served as Mirakl would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { offsetPage, seekPage } from './shop.ts';

type Document = Record<string, unknown>;

/** What the folder holds, as rows of the lists in which they are served. */
export interface Replayed {
  readonly orders: readonly Document[];
  readonly offers: readonly Document[];
  readonly documents: readonly Document[];
  readonly transactions: readonly Document[];
  readonly cycles: readonly Document[];
  readonly shops: readonly Document[];
  /** Files with nothing in them that is served. */
  readonly ignored: readonly string[];
}

type Kind = Exclude<keyof Replayed, 'ignored'>;

/** First match wins. */
const SHAPES: readonly { kind: Kind; fits: (row: Document) => boolean }[] = [
  {
    kind: 'orders',
    fits: (row) => 'order_id' in row && ('order_state' in row || 'order_lines' in row),
  },
  { kind: 'documents', fits: (row) => 'order_id' in row && 'file_name' in row },
  { kind: 'offers', fits: (row) => 'offer_id' in row && 'quantity' in row },
  { kind: 'cycles', fits: (row) => 'amount_transferred_to_seller' in row },
  { kind: 'transactions', fits: (row) => 'payment_state' in row && 'amount' in row },
  { kind: 'shops', fits: (row) => 'shop_id' in row && 'shop_state' in row },
];
const LISTS = ['orders', 'offers', 'order_documents', 'data'];

export const NOTHING_REPLAYED: Replayed = {
  orders: [],
  offers: [],
  documents: [],
  transactions: [],
  cycles: [],
  shops: [],
  ignored: [],
};

export async function readReplay(folder: string): Promise<Replayed> {
  const found: Record<Kind, Document[]> = {
    orders: [],
    offers: [],
    documents: [],
    transactions: [],
    cycles: [],
    shops: [],
  };
  const ignored = await readFolder(folder, (document) => {
    const known = rowsOf(document).flatMap((row) => {
      const shape = SHAPES.find(({ fits }) => fits(row));
      return shape ? [{ kind: shape.kind, row }] : [];
    });
    for (const { kind, row } of known) found[kind].push(row);
    return known.length > 0;
  });
  return { ...found, ignored };
}

/**
 * Lists with something in them are served in place of the world's. Dates and states are not looked
 * at.
 */
export function replayRoutes(replayed: Replayed, caller: (call: Call) => unknown): Routes {
  const listed = (call: Call, rows: readonly Document[], name: string) => {
    caller(call);
    const { page, total_count } = offsetPage(call, rows);
    return { body: { [name]: page, total_count } };
  };
  const named = (call: Call, rows: readonly Document[]) => {
    const ids = call.query.get('order_ids')?.split(',');
    return rows.filter((row) => ids?.includes(textOf(row.order_id) ?? '') ?? true);
  };
  const routes: Record<Kind, Routes> = {
    orders: { 'GET /api/orders': (call) => listed(call, named(call, replayed.orders), 'orders') },
    offers: { 'GET /api/offers': (call) => listed(call, replayed.offers, 'offers') },
    documents: {
      'GET /api/orders/documents': (call) => {
        caller(call);
        return { body: { order_documents: named(call, replayed.documents) } };
      },
    },
    transactions: {
      'GET /api/sellerpayment/transactions_logs': (call) => sought(call, replayed.transactions),
    },
    cycles: { 'GET /api/seller-billing-cycles': (call) => sought(call, replayed.cycles) },
    shops: {
      'GET /api/account': (call) => {
        caller(call);
        return { body: replayed.shops[0] };
      },
    },
  };
  const sought = (call: Call, rows: readonly Document[]) => {
    caller(call);
    return { body: seekPage(call, rows, rows.length + 1) };
  };
  const held = (Object.keys(routes) as Kind[]).filter((kind) => replayed[kind].length > 0);
  return Object.assign({}, ...held.map((kind) => routes[kind]));
}

/**
 * A document is a list of rows, one of them, or an answer with its status and headers around it.
 */
function rowsOf(document: unknown): Document[] {
  if (Array.isArray(document)) return document.flatMap(rowsOf);
  if (!isRecord(document)) return [];
  if ('body' in document) return rowsOf(document.body);
  const list = LISTS.find((name) => Array.isArray(document[name]));
  return list && !('order_id' in document) ? rowsOf(document[list]) : [document];
}
