/**
 * A folder of JSON documents, served as Mercado Libre would serve them. What a document is, its
 * shape says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import { type Call, Refusal, type Reply, type Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { refuse } from './shop.ts';

export interface Replayed {
  /** The ids of what is served, as text. */
  readonly orders: readonly string[];
  readonly shipments: readonly string[];
  readonly packs: readonly string[];
  readonly items: readonly string[];
  readonly inventories: readonly string[];
  /** Files with nothing in them to be served by an id. */
  readonly ignored: readonly string[];
}

interface Replay {
  readonly replayed: Replayed;
  readonly routes: Routes;
  /** The first numeric seller in the documents. */
  readonly sellerId: number | null;
}

type Caller = (call: Call) => unknown;
type Document = Record<string, unknown>;
type Store = Map<string, Reply & { body: Document }>;
type Stores = Record<'orders' | 'shipments' | 'packs' | 'items' | 'inventories', Store>;

/** First match wins. */
const SHAPES: readonly {
  store: keyof Stores;
  id: string;
  fits: (document: Document) => boolean;
}[] = [
  { store: 'orders', id: 'id', fits: (it) => Array.isArray(it.order_items) },
  { store: 'packs', id: 'id', fits: (it) => Array.isArray(it.orders) && 'shipment' in it },
  {
    store: 'shipments',
    id: 'id',
    fits: (it) => isRecord(it.logistic) || 'logistic_type' in it || isRecord(it.receiver_address),
  },
  { store: 'inventories', id: 'inventory_id', fits: (it) => 'not_available_quantity' in it },
  { store: 'items', id: 'id', fits: (it) => 'available_quantity' in it && 'title' in it },
];

export async function openReplay(folder: string, caller: Caller): Promise<Replay> {
  const stores: Stores = {
    orders: new Map(),
    shipments: new Map(),
    packs: new Map(),
    items: new Map(),
    inventories: new Map(),
  };
  const ignored = await readFolder(folder, (document) => keep(document, stores));
  return {
    replayed: { ...idsOf(stores), ignored },
    routes: { ...orderRoutes(stores, caller), ...stockRoutes(stores, caller) },
    sellerId: sellerIn(stores.orders),
  };
}

/** Puts a document where it can be found by its id; false for documents of any other kind. */
function keep(document: unknown, stores: Stores, answer: Reply = {}): boolean {
  if (Array.isArray(document)) return keepAll(document, stores);
  if (!isRecord(document)) return false;
  if (isRecord(document._http)) return keep(document.body, stores, replyHead(document._http));
  // One of a multiget: { code, body }.
  if ('code' in document && isRecord(document.body))
    return textOf(document.code) === '200' && keep(document.body, stores);
  const shape = SHAPES.find(({ fits }) => fits(document));
  const id = shape && textOf(document[shape.id]);
  if (!shape || !id) return Array.isArray(document.results) && keepAll(document.results, stores);
  const store = stores[shape.store];
  // What a document of its own says about an order goes before what a list says.
  if (!store.has(id) || !('date_last_updated' in document))
    store.set(id, { ...answer, body: document });
  return true;
}

function keepAll(documents: readonly unknown[], stores: Stores): boolean {
  return documents.map((one) => keep(one, stores)).includes(true);
}

function replyHead({ status, headers }: Document): Reply {
  const lines = isRecord(headers) ? Object.entries(headers) : [];
  return {
    status: Number(textOf(status) ?? 200),
    headers: Object.fromEntries(lines.map(([name, value]) => [name, textOf(value) ?? ''])),
  };
}

function idsOf(stores: Stores): Omit<Replayed, 'ignored'> {
  const ids = (store: Store) => [...store.keys()];
  return {
    orders: ids(stores.orders),
    shipments: ids(stores.shipments),
    packs: ids(stores.packs),
    items: ids(stores.items),
    inventories: ids(stores.inventories),
  };
}

function sellerIn(orders: Store): number | null {
  for (const { body } of orders.values()) {
    const id = Number(isRecord(body.seller) ? textOf(body.seller.id) : Number.NaN);
    if (Number.isSafeInteger(id)) return id;
  }
  return null;
}

function replayedById(store: Store, error: string, caller: Caller): Routes[string] {
  return (call) => {
    caller(call);
    const found = store.get(call.params.id ?? '');
    if (!found) throw refuse(404, error, `${call.params.id} not found`);
    return found;
  };
}

function orderRoutes({ orders, shipments, packs }: Stores, caller: Caller): Routes {
  /** Everything on one page; dates and sellers are not looked at. */
  function search(call: Call): Reply {
    caller(call);
    const offset = Number(call.query.get('offset') ?? 0);
    const results = [...orders.values()].map(({ body }) => body);
    return {
      body: {
        query: null,
        results: results.slice(offset),
        sort: { id: 'date_asc', name: 'Date ascending' },
        available_sorts: [{ id: 'date_desc', name: 'Date descending' }],
        filters: [],
        paging: { total: results.length, offset, limit: 50 },
        display: 'complete',
      },
    };
  }

  function listShipments(call: Call): Reply {
    caller(call);
    const order = call.params.id ?? '';
    const shipping = orders.get(order)?.body.shipping;
    const named = isRecord(shipping) ? textOf(shipping.id) : null;
    const found = [...shipments.values()].find(
      ({ body }) => textOf(body.id) === named || textOf(body.order_id) === order,
    );
    if (!found) throw refuse(404, 'not_found', `Order ${order} has no shipment`);
    return { body: [{ id: found.body.id, type: 'forward' }] };
  }

  return {
    'GET /orders/search': search,
    'GET /orders/:id': replayedById(orders, 'order_not_found', caller),
    'GET /orders/:id/shipments': listShipments,
    'GET /shipments/:id': replayedById(shipments, 'not_found_shipment_id', caller),
    'GET /packs/:id': replayedById(packs, 'not_found', caller),
  };
}

function stockRoutes({ items, inventories }: Stores, caller: Caller): Routes {
  function listItems(call: Call): Reply {
    caller(call);
    const offset = Number(call.query.get('offset') ?? 0);
    const results = call.query.has('scroll_id') ? [] : [...items.keys()].slice(offset);
    return {
      body: {
        seller_id: call.params.user,
        results,
        scroll_id: call.query.get('search_type') === 'scan' ? 'replay' : undefined,
        paging: { limit: 50, offset, total: items.size },
        query: null,
        orders: [],
        available_orders: [],
      },
    };
  }

  function getItems(call: Call): Reply {
    caller(call);
    const asked = (call.query.get('ids') ?? '').split(',');
    return {
      body: asked.map((id) => {
        const found = items.get(id);
        if (found) return { code: 200, body: found.body };
        const missing = {
          message: `Item with id ${id} not found`,
          error: 'not_found',
          status: 404,
          cause: [],
        };
        return { code: 404, body: missing };
      }),
    };
  }

  return {
    'GET /users/:user/items/search': listItems,
    'GET /items': getItems,
    'GET /inventories/:id/stock/fulfillment': replayedById(
      inventories,
      'seller_product_not_found',
      caller,
    ),
  };
}

/** What the folder knows comes from the folder; what it does not know, from the world. */
export function replayFirst(replay: Routes, world: Routes): Routes {
  const both = Object.entries(replay).map(([route, handler]) => {
    const otherwise = world[route];
    const handle = async (call: Call) => {
      try {
        return await handler(call);
      } catch (cause) {
        const unknown = cause instanceof Refusal && cause.reply.status === 404;
        if (!unknown || !otherwise) throw cause;
        return otherwise(call);
      }
    };
    return [route, handle] as const;
  });
  return { ...world, ...Object.fromEntries(both) };
}
