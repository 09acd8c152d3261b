/**
 * A folder of JSON documents, served as Amazon would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { type Operation, refuse } from './shop.ts';

export interface Replayed {
  /** The ids of what is served, as text. */
  readonly orders: readonly string[];
  readonly balances: number;
  readonly payouts: number;
  readonly expectedPayouts: number;
  readonly stock: number;
  /** Files with nothing in them to be served. */
  readonly ignored: readonly string[];
}

interface Replay {
  readonly replayed: Replayed;
  readonly routes: Routes;
}

type Document = Record<string, unknown>;

interface Stores {
  /** Both generations, by id. */
  readonly orders: Map<string, Document>;
  readonly transactions: unknown[];
  readonly balances: unknown[];
  readonly payouts: unknown[];
  readonly expectedPayouts: unknown[];
  readonly inventorySummaries: unknown[];
}

/** The lists that documents hold, and where their rows are kept. */
const LISTS = [
  'transactions',
  'balances',
  'payouts',
  'expectedPayouts',
  'inventorySummaries',
] as const;

export async function openReplay(
  folder: string,
  enter: (call: Call, operation: Operation) => void,
): Promise<Replay> {
  const stores: Stores = {
    orders: new Map(),
    transactions: [],
    balances: [],
    payouts: [],
    expectedPayouts: [],
    inventorySummaries: [],
  };
  const ignored = await readFolder(folder, (document) => keep(document, stores));
  return {
    replayed: {
      orders: [...stores.orders.keys()],
      balances: stores.balances.length,
      payouts: stores.payouts.length,
      expectedPayouts: stores.expectedPayouts.length,
      stock: stores.inventorySummaries.length,
      ignored,
    },
    routes: replayRoutes(stores, enter),
  };
}

/** Puts what a document holds where it can be found; false for documents of any other kind. */
function keep(document: unknown, stores: Stores): boolean {
  if (Array.isArray(document)) return document.map((one) => keep(one, stores)).includes(true);
  if (!isRecord(document)) return false;
  const id = orderId(document);
  if (id !== null) {
    stores.orders.set(id, { ...stores.orders.get(id), ...document });
    return true;
  }
  for (const list of LISTS) {
    // A balance is in a list of its parts; only the roots are rows.
    if (!Array.isArray(document[list]) || 'balanceType' in document) continue;
    stores[list].push(...document[list]);
    return true;
  }
  // Cases of the sandbox, wrapped answers, lists of orders.
  const inner = [
    'response',
    'payload',
    'order',
    'orders',
    'Orders',
    'static',
    'Successful Response',
  ];
  return inner.map((name) => keep(document[name], stores)).includes(true);
}

/** An order of either generation has an id, and a status or lines. */
function orderId(document: Document): string | null {
  if (Array.isArray(document.orderItems)) return textOf(document.orderId);
  return 'OrderStatus' in document ? textOf(document.AmazonOrderId) : null;
}

/** Everything on one page; dates and sellers are not looked at. */
function replayRoutes(stores: Stores, enter: (call: Call, operation: Operation) => void): Routes {
  const answer = (operation: Operation, body: (call: Call) => unknown) => (call: Call) => {
    enter(call, operation);
    return { body: body(call) };
  };
  const granularity = { granularityType: 'Marketplace' };
  return {
    'GET /orders/2026-01-01/orders': answer('searchOrders', () => ({
      orders: [...stores.orders.values()],
    })),
    'GET /orders/2026-01-01/orders/:id': answer('getOrder', ({ params: { id = '' } }) => {
      const order = stores.orders.get(id);
      if (!order) throw refuse(404, 'NotFound', `Order ${id} was not found`);
      return { order };
    }),
    'GET /finances/2024-06-19/transactions': answer('listTransactions', ({ query }) => {
      const asked = query.get('relatedIdentifierValue');
      const transactions = stores.transactions.filter(
        (one) => asked === null || JSON.stringify(one).includes(JSON.stringify(asked)),
      );
      return { payload: { transactions } };
    }),
    'GET /finances/2024-06-19/balances': answer('listBalances', () => ({
      balances: stores.balances,
    })),
    'GET /finances/transfers/2024-06-01/payouts': answer('listPayouts', () => ({
      payouts: stores.payouts,
    })),
    'GET /finances/transfers/2024-06-01/payouts/expected': answer('listExpectedPayouts', () => ({
      expectedPayouts: stores.expectedPayouts,
    })),
    'GET /fba/inventory/v1/summaries': answer('getInventorySummaries', () => ({
      payload: { granularity, inventorySummaries: stores.inventorySummaries },
    })),
    'GET /listings/2021-08-01/items/:seller': answer('searchListingsItems', () => ({
      numberOfResults: 0,
      items: [],
    })),
  };
}
