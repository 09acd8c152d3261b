/** Orders, the shipments that they name, and packs. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt } from '../order.ts';
import { billingDocument, billingId, gaveBillingData } from './billing.ts';
import {
  discountsDocument,
  orderDocument,
  packDocument,
  searchRow,
  withoutBuyerAndFeedback,
} from './documents.ts';
import { closedAt, hasPack, indexedAt, itemId, orderStatus, tagsOf } from './facts.ts';
import { shipmentList } from './shipment-documents.ts';
import { type Found, findOrder, findPack, refuse, type Seller, type Shop } from './shop.ts';

const PAGE = 50;
const DEEPEST_OFFSET = 10_000;
const HOUR = 3_600_000;

export function orderRoutes(shop: Shop): Routes {
  /** The seller's own order, or the documented refusal. */
  function ownOrder(call: Call): Found {
    const id = call.params.id ?? '';
    const seller = shop.caller(call);
    if (!/^\d+$/.test(id)) throw refuse(400, 'invalid_order_id', `Invalid order id: ${id}`);
    return ownedBy(seller, findOrder(shop, id));
  }

  function getOrder(call: Call): Reply {
    const { order, seller } = ownOrder(call);
    const document = orderDocument(order, seller, shop);
    if (!shop.switches.partialOrders.has(order.id)) return { body: document };
    return {
      status: 206,
      headers: { 'X-Content-Missing': 'buyer, feedback' },
      body: withoutBuyerAndFeedback(document),
    };
  }

  /** By the id in the order; a buyer who gave nothing has none. */
  function getBilling(call: Call): Reply {
    const id = call.params.id ?? '';
    const found = findOrder(shop, id.slice(1));
    if (!found || billingId(found.order) !== id || !gaveBillingData(found.order))
      throw refuse(404, 'not_found', `Billing info ${id} not found`);
    ownedBy(shop.caller(call), found);
    return { body: billingDocument(found.order, found.seller) };
  }

  function listShipments(call: Call): Reply {
    const { order, seller } = ownOrder(call);
    // The single object of old was withdrawn at the end of September 2026.
    if (call.headers['x-new-domain'] !== 'true')
      throw refuse(404, 'not_found', 'resource not found');
    const list = shipmentList(order, seller, shop, {
      isAll: call.query.get('list_all') === 'true',
    });
    return list.length > 0 ? { body: list } : { status: 204 };
  }

  function getPack(call: Call): Reply {
    const seller = shop.caller(call);
    const id = call.params.id ?? '';
    const found = findPack(shop, id) ?? withoutPack(findOrder(shop, id));
    if (!found) throw refuse(404, 'not_found', 'Order do not exists');
    if (found.seller !== seller)
      throw refuse(403, 'forbidden', 'The user has not access to the order');
    return { body: packDocument(found.order, seller, shop) };
  }

  return {
    'GET /orders/search': (call) => search(call, shop),
    'GET /orders/:id': getOrder,
    'GET /orders/:id/shipments': listShipments,
    'GET /orders/:id/discounts': (call) => ({ body: discountsDocument(ownOrder(call).order) }),
    'GET /orders/billing-info/MLM/:id': getBilling,
    'GET /packs/:id': getPack,
  };
}

function ownedBy(seller: Seller, found: Found | undefined): Found {
  if (!found) throw refuse(404, 'order_not_found', 'Order do not exists');
  if (found.seller !== seller)
    throw refuse(403, 'not_owned_order', 'The caller is not the owner of the order');
  return found;
}

/** Where an order has no pack, its own id replaces the pack's. */
function withoutPack(found: Found | undefined): Found | undefined {
  return found && !hasPack(found.order, found.seller) ? found : undefined;
}

type Field = (order: Order) => number | null;
type Filter = (order: Order) => boolean;

function search(call: Call, shop: Shop): Reply {
  const seller = shop.caller(call);
  if (call.query.get('seller') !== String(seller.id)) {
    throw refuse(403, 'caller.id.invalid', 'The caller.id does not match the seller');
  }
  const offset = whole(call.query.get('offset'), 0);
  // Known limit: deep offsets fail.
  if (offset >= DEEPEST_OFFSET)
    throw refuse(400, 'invalid_offset', `offset must be lower than ${DEEPEST_OFFSET}`);
  // Known maximum: a higher limit is taken for 50.
  const limit = Math.min(whole(call.query.get('limit'), PAGE), PAGE);
  const sort = call.query.get('sort') === 'date_desc' ? 'date_desc' : 'date_asc';

  const filters = filtersOf(call.query, seller, shop);
  const found = seller.world.orders().filter((order) => filters.every((fits) => fits(order)));
  sortByClosing(found, shop.now());
  if (sort === 'date_desc') found.reverse();
  return {
    body: {
      query: call.query.get('q'),
      results: found.slice(offset, offset + limit).map((order) => searchRow(order, seller, shop)),
      sort: SORTS[sort],
      available_sorts: [SORTS[sort === 'date_asc' ? 'date_desc' : 'date_asc']],
      filters: [],
      paging: { total: found.length, offset, limit },
      display: 'complete',
    },
  };
}

const SORTS = {
  date_asc: { id: 'date_asc', name: 'Date ascending' },
  date_desc: { id: 'date_desc', name: 'Date descending' },
};

/** By date_closed, not by the last change: a payment puts a row between those already read. */
function sortByClosing(orders: Order[], now: number): void {
  const key = (order: Order) => closedAt(order, now) ?? placedAt(order);
  orders.sort((a, b) => key(a) - key(b) || a.number - b.number);
}

/** `order.last_updated.from` is not among them: it is ignored silently, like everything unknown. */
function filtersOf(query: URLSearchParams, seller: Seller, shop: Shop): Filter[] {
  const now = shop.now();
  const dates: Record<string, Field> = {
    'order.date_created': placedAt,
    'order.date_closed': (order) => closedAt(order, now),
    'order.date_last_updated': (order) => indexedAt(order, shop),
  };
  const given: Record<string, (wanted: string) => Filter> = {
    'order.status': (wanted) => (order) => wanted.split(',').includes(orderStatus(order, shop)),
    tags: (wanted) => (order) =>
      wanted.split(',').every((tag) => tagsOf(order, seller, shop).includes(tag)),
    'tags.not': (wanted) => (order) =>
      !wanted.split(',').some((tag) => tagsOf(order, seller, shop).includes(tag)),
    item: (wanted) => (order) => order.lines.some(({ product }) => itemId(product.sku) === wanted),
    q: (wanted) => (order) =>
      order.id === wanted || order.lines.some(({ title }) => title.includes(wanted)),
  };
  for (const [name, field] of Object.entries(dates)) {
    given[`${name}.from`] = (wanted) => {
      const from = wholeHour(wanted);
      return (order) => (field(order) ?? Number.NEGATIVE_INFINITY) >= from;
    };
    given[`${name}.to`] = (wanted) => {
      const to = wholeHour(wanted);
      return (order) => (field(order) ?? Number.POSITIVE_INFINITY) <= to;
    };
  }
  // A search as seller leaves out cancelled orders, whatever it asks for.
  const alive: Filter = (order) => orderStatus(order, shop) !== 'cancelled';
  const asked = Object.entries(given).flatMap(([name, make]) => {
    const wanted = query.get(name);
    return wanted === null ? [] : [make(wanted)];
  });
  return [alive, ...asked];
}

/** Only the hour of a date filter counts; minutes, seconds and milliseconds are discarded. */
function wholeHour(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw refuse(400, 'validation_error', `Invalid date: ${text}`);
  return Math.floor(at / HOUR) * HOUR;
}

function whole(text: string | null, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (!Number.isInteger(value) || value < 0)
    throw refuse(400, 'validation_error', `Invalid number: ${text}`);
  return value;
}
