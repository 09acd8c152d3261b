/**
 * A folder of JSON documents, served as VTEX would serve them. What a document is, its shape says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { pagingDocument, pagingOf } from './orders.ts';
import { refuse, type Shop } from './shop.ts';

type Document = Record<string, unknown>;

export interface Replayed {
  /** By id: whole documents, and rows of lists of which there is no more. */
  readonly orders: ReadonlyMap<string, Document>;
  /** By SKU id. */
  readonly stock: ReadonlyMap<string, Document>;
  readonly events: readonly Document[];
  /** Files with nothing in them that is served. */
  readonly ignored: readonly string[];
}

export const NOTHING_REPLAYED: Replayed = {
  orders: new Map(),
  stock: new Map(),
  events: [],
  ignored: [],
};

export async function readReplay(folder: string): Promise<Replayed> {
  const [orders, rows, stock] = [1, 2, 3].map(() => new Map<string, Document>()) as [
    Store,
    Store,
    Store,
  ];
  const events: Document[] = [];
  const ignored = await readFolder(folder, (given) => {
    const known = documentsIn(given).filter((document) => {
      const id = textOf(document.orderId);
      if (id && 'handle' in document) return events.push(document);
      if (id && 'totalValue' in document) return rows.set(id, wholeOf(document));
      if (id && 'creationDate' in document) return orders.set(id, document);
      const sku = textOf(document.skuId);
      return sku !== null && Array.isArray(document.balance) && stock.set(sku, document);
    });
    return known.length > 0;
  });
  return { orders: new Map([...rows, ...orders]), stock, events, ignored };
}

type Store = Map<string, Document>;

/** Of an order that only a list has, the fields of its row. */
function wholeOf(row: Document): Document {
  const {
    orderId,
    status,
    creationDate,
    authorizedDate,
    totalValue,
    currencyCode,
    clientName,
    salesChannel,
  } = row;
  return {
    orderId,
    status,
    creationDate,
    authorizedDate,
    salesChannel,
    value: totalValue,
    storePreferencesData: { currencyCode },
    clientProfileData: { firstName: clientName, lastName: null },
    items: [],
  };
}

/** Dates are not looked at; where the folder has orders, the world's are not listed. */
export function replayRoutes(
  { orders, stock, events }: Replayed,
  shop: Shop,
  world: Routes,
): Routes {
  let reported = [...events];

  function list(call: Call): Reply {
    shop.admit(call);
    const { page, perPage } = pagingOf(call);
    const rows = [...orders.values()].map(({ orderId, status, creationDate }) => ({
      orderId,
      status,
      creationDate,
    }));
    const shown = rows.slice((page - 1) * perPage, page * perPage);
    return {
      body: {
        list: shown,
        facets: [],
        paging: pagingDocument(rows.length, page, perPage),
        stats: {},
      },
    };
  }

  const held = (store: ReadonlyMap<string, Document>, route: string) => (call: Call) => {
    shop.admit(call);
    const body = store.get(call.params.id ?? '');
    if (body) return { body };
    const otherwise = world[route];
    if (!otherwise) throw refuse(404, '404', 'Not found');
    return otherwise(call);
  };
  const own = (route: string, store: ReadonlyMap<string, Document>) =>
    store.size > 0 ? { [route]: held(store, route) } : {};

  return {
    ...(orders.size > 0 && { 'GET /api/oms/pvt/orders': list }),
    ...own('GET /api/oms/pvt/orders/:id', orders),
    ...own('GET /api/logistics/pvt/inventory/skus/:id', stock),
    ...(stock.size > 0 && {
      'GET /api/catalog_system/pvt/sku/stockkeepingunitids': (call: Call) => {
        shop.admit(call);
        return { body: call.query.get('page') === '1' ? [...stock.keys()] : [] };
      },
    }),
    ...(events.length > 0 && {
      'GET /api/orders/feed': (call: Call) => {
        shop.admit(call, 'feed');
        const lot = reported;
        reported = [];
        return { body: lot };
      },
    }),
  };
}

/**
 * A document is one thing, or a list of them, or an answer with its status and headers around it.
 */
function documentsIn(document: unknown): Document[] {
  if (Array.isArray(document)) return document.flatMap(documentsIn);
  if (!isRecord(document)) return [];
  if ('_http' in document) return documentsIn(document.body);
  return 'paging' in document && Array.isArray(document.list)
    ? documentsIn(document.list)
    : [document];
}
