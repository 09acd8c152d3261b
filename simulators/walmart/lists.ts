/** Orders, returns, items and stock. */
import type { Call, Reply, Routes } from '../http.ts';
import { shelvesOf } from '../order.ts';
import { type Row, refuse, type Shop } from './shop.ts';

const DAY = 86_400_000;
const DEEPEST_OFFSET = 1_000;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/;
const ORDER_STATUSES = ['Created', 'Acknowledged', 'Shipped', 'Cancelled', 'OnHold', 'Delivered'];

export function listRoutes(shop: Shop): Routes {
  const routes = { legacy: legacyRoutes(shop), global: globalRoutes(shop) };
  const paths = [...new Set(Object.values(routes).flatMap((some) => Object.keys(some)))];
  const ofBoth = paths.map((path) => [path, (call: Call) => routeFor(call, path)(call)] as const);
  const routeFor = (call: Call, path: string) => {
    const route = routes[shop.generationOf(call)][path];
    if (!route) throw refuse(shop, call, 404, 'NOT_FOUND.GMP_GATEWAY_API', 'Resource not found');
    return route;
  };
  return { ...Object.fromEntries(ofBoth), ...itemRoutes(shop) };
}

function legacyRoutes(shop: Shop): Routes {
  const own = () => shop.orders('legacy').filter(({ isWfs }) => !isWfs);
  const wfs = () => shop.orders('legacy').filter(({ isWfs }) => isWfs);
  const returns = (call: Call) =>
    shop.returns().filter(({ isWfs }) => isWfs === (call.query.get('isWFSEnabled') === 'Y'));
  return {
    'GET /v3/orders': (call) => byOffset(shop, call, 'order', own(), 100),
    'GET /v3/orders/cursor': (call) => {
      const status = call.query.get('statusCodeFilter');
      shop.admit(call);
      if (status === null || !ORDER_STATUSES.includes(status))
        throw refuse(
          shop,
          call,
          400,
          'INVALID_REQUEST_PARAM.GMP_ORDER_API',
          'statusCodeFilter is required',
        );
      return byMark(shop, call, 'order', own(), ['createdStartDate', 'createdEndDate']);
    },
    'GET /v3/orders/wfsorders': (call) => byOffset(shop, call, 'order', wfs(), 200),
    'GET /v3/returns': (call) => byOffset(shop, call, 'returnOrders', returns(call), 100),
    'GET /v3/returns/cursor': (call) => {
      shop.admit(call);
      return byMark(shop, call, 'returnOrders', returns(call), [
        'returnCreationStartDate',
        'returnCreationEndDate',
      ]);
    },
  };
}

/** Dates in epoch seconds. */
function byOffset(shop: Shop, call: Call, name: string, rows: readonly Row[], most: number): Reply {
  shop.admit(call);
  const limit = limitOf(shop, call, most);
  const offset = Number(call.query.get('offset') ?? 0);
  if (offset > DEEPEST_OFFSET)
    throw refuse(shop, call, 400, 'INVALID_REQUEST_PARAM.GMP_ORDER_API', 'offset');
  const [from, to] = ['createdStartDate', 'createdEndDate'].map((date) =>
    secondsOf(shop, call, date),
  );
  const found = rows.filter((row) =>
    fits(shop, call, row, from ?? null, to === null || to === undefined ? null : to + 999),
  );
  return {
    body: {
      meta: { totalCount: found.length, limit },
      [name]: found.slice(offset, offset + limit).map((row) => row.document()),
    },
  };
}

/** The mark names the last row, so that rows that leave the list shift nothing. */
function byMark(
  shop: Shop,
  call: Call,
  name: string,
  rows: readonly Row[],
  dates: readonly [string, string],
): Reply {
  const limit = limitOf(shop, call, 100);
  const [from, to] = dates.map((date) => isoOf(shop, call, date));
  if ((from === null) !== (to === null))
    throw refuse(
      shop,
      call,
      400,
      'INVALID_REQUEST_PARAM.GMP_ORDER_API',
      `${dates.join(' and ')} go together`,
    );
  const found = rows.filter((row) => fits(shop, call, row, from ?? null, to ?? null));
  const mark = call.query.get('cursorMark') ?? '*';
  const after = mark === '*' ? '' : Buffer.from(mark, 'base64').toString();
  const rest = found
    .filter((row) => keyOf(row) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last ? Buffer.from(keyOf(last)).toString('base64') : mark;
  return {
    body: {
      meta: { totalCount: found.length, limit, nextCursorMark: next },
      [name]: page.map((row) => row.document()),
    },
  };
}

function keyOf({ createdAt, id }: Row): string {
  return `${String(createdAt ?? 0).padStart(14, '0')}-${id}`;
}

function fits(
  shop: Shop,
  { query }: Call,
  row: Row,
  from: number | null,
  to: number | null,
): boolean {
  const isNamed = (name: string, value: string) =>
    query.get(name) === null || query.get(name) === value;
  const at = row.createdAt ?? shop.now();
  return (
    at >= (row.createdAt === null ? at : (from ?? shop.now() - 180 * DAY)) &&
    at <= (row.createdAt === null ? at : (to ?? shop.now())) &&
    isNamed('purchaseOrderId', row.id) &&
    isNamed('customerOrderId', row.customerOrderId) &&
    (row.status === null || isNamed('statusCodeFilter', row.status))
  );
}

function globalRoutes(shop: Shop): Routes {
  function list(call: Call): Reply {
    shop.admit(call);
    const { query } = call;
    // The cursor repeats the filters.
    const index = Number(query.get('soIndex') ?? 0);
    const limit = Math.min(limitOf(shop, call, 200), shop.pageRows);
    const date = (name: string) => isoOf(shop, call, name);
    const created = date('createdStartDate') ?? shop.now() - 7 * DAY;
    const [from, to] = [date('lastModifiedStartDate'), date('lastModifiedEndDate')];
    const isWfs = query.get('shipNodeType') === 'WFSFulfilled';
    const found = shop.orders('global').filter((row) => {
      const id = query.get('purchaseOrderId');
      if (row.isWfs !== isWfs || (id !== null && row.id !== id)) return false;
      if (row.createdAt === null || row.changedAt === null) return true;
      // A single order is found whatever its age.
      if (id !== null) return true;
      return (
        row.createdAt >= created &&
        row.changedAt >= (from ?? 0) &&
        row.changedAt <= (to ?? shop.now())
      );
    });
    if (found.length === 0)
      throw refuse(
        shop,
        call,
        404,
        'CONTENT_NOT_FOUND.GMP_ORDER_API',
        'Content not found for the given request',
      );
    const more = new URLSearchParams(
      [...query].filter(([name]) => !['soIndex', 'hasMoreElements'].includes(name)),
    );
    more.set('hasMoreElements', 'true');
    more.set('soIndex', String(index + limit));
    const hasMore = index + limit < found.length;
    return {
      body: {
        list: {
          meta: { totalCount: found.length, limit, ...(hasMore && { nextCursor: `?${more}` }) },
          elements: { order: found.slice(index, index + limit).map((row) => row.document()) },
        },
      },
    };
  }
  return { 'GET /v3/orders': list };
}

function itemRoutes(shop: Shop): Routes {
  const shelves = () =>
    shop.world.products.flatMap((product) =>
      shelvesOf(product).map(({ sku }) => ({ sku, product })),
    );
  const itemOf = ({ sku, product }: ReturnType<typeof shelves>[number]) => ({
    mart: 'WALMART_MEXICO',
    sku,
    wpid: `WP${sku}`,
    productName: product.title,
    price: { currency: 'MXN', amount: Number(product.price) },
    publishedStatus: 'PUBLISHED',
  });
  return {
    'GET /v3/items': (call) => {
      shop.admit(call);
      const offset = Number(call.query.get('offset') ?? 0);
      const all = shelves();
      const page = all.slice(offset, offset + limitOf(shop, call, 50));
      return { body: { ItemResponse: page.map(itemOf), totalItems: all.length } };
    },
    'GET /v3/items/:sku': (call) => {
      shop.admit(call);
      const found = shelves().find(({ sku }) => sku === call.params.sku);
      if (!found)
        throw refuse(shop, call, 404, 'CONTENT_NOT_FOUND.GMP_ITEM_QUERY_API', 'SKU not found');
      return { body: { ItemResponse: [itemOf(found)] } };
    },
    'GET /v3/inventory': (call) => {
      shop.admit(call);
      const sku = call.query.get('sku');
      const found = shelves().find((one) => one.sku === sku);
      // What Walmart keeps is not the seller's to count.
      if (!found || found.product.keptByMarketplace)
        throw refuse(shop, call, 404, 'CONTENT_NOT_FOUND.GMP_INVENTORY_API', 'SKU not found');
      const amount = shop.world.stock().get(found.sku) ?? 0;
      return { body: { sku, quantity: { unit: 'EACH', amount } } };
    },
  };
}

function limitOf(shop: Shop, call: Call, most: number): number {
  const limit = Number(call.query.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= most))
    throw refuse(shop, call, 400, 'INVALID_REQUEST_PARAM', `limit: at most ${most}`);
  return limit;
}

function secondsOf(shop: Shop, call: Call, name: string): number | null {
  const text = call.query.get(name);
  if (text === null) return null;
  if (!/^\d{10}$/.test(text))
    throw refuse(shop, call, 400, 'INVALID_REQUEST_PARAM', `${name}: epoch seconds`);
  return Number(text) * 1_000;
}

function isoOf(shop: Shop, call: Call, name: string): number | null {
  const text = call.query.get(name);
  if (text === null) return null;
  if (!ISO.test(text))
    throw refuse(
      shop,
      call,
      400,
      'INVALID_REQUEST_PARAM',
      `${name}: yyyy-MM-dd'T'HH:mm:ss.SSS±hh:mm`,
    );
  return Date.parse(text);
}
