/** The list of orders, which is not a list of changes, and one order. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt, reachedAt } from '../order.ts';
import { listRow, orderDocument } from './documents.ts';
import { findOrder, invoicedAt, orderIdOf, statusOf, totalOf } from './facts.ts';
import { refuse, type Shop } from './shop.ts';

const MOST_PAGES = 30;
const MOST_ROWS = 100;
const USUAL_ROWS = 15;
const TWO_YEARS = 731 * 86_400_000;
/** The list shows what there was so long ago. */
const INDEX_LAG = 4 * 60_000;

type Filter = (order: Order) => boolean;

export function orderRoutes(shop: Shop): Routes {
  /** As the index knows the world by now. */
  const indexed = { ...shop, now: () => shop.now() - INDEX_LAG };

  function list(call: Call): Reply {
    shop.admit(call);
    const { page, perPage } = pagingOf(call);
    const at = indexed.now();
    const filters = filtersOf(call, shop, at);
    const found = shop.world
      .orders()
      .filter((order) => placedAt(order) <= at && placedAt(order) > at - TWO_YEARS)
      .filter((order) => filters.every((fits) => fits(order)))
      .sort(sorting(call.query.get('orderBy'), at));
    const rows = found.slice((page - 1) * perPage, page * perPage);
    return {
      body: {
        list: rows.map((order) => listRow(order, indexed)),
        facets: [],
        paging: pagingDocument(found.length, page, perPage),
        stats: {
          stats: { totalValue: { Count: found.length }, totalItems: { Count: found.length } },
        },
      },
    };
  }

  function detail(call: Call): Reply {
    shop.admit(call);
    const order = findOrder(shop.world, call.params.id ?? '');
    if (!order || shop.switches.missing.has(orderIdOf(order)))
      throw refuse(404, 'OMS004', 'Order not found');
    return { body: orderDocument(order, shop, shop.account) };
  }

  return { 'GET /api/oms/pvt/orders': list, 'GET /api/oms/pvt/orders/:id': detail };
}

export function pagingOf(call: Call): { page: number; perPage: number } {
  const page = Number(call.query.get('page') ?? 1);
  const perPage = Number(call.query.get('per_page') ?? USUAL_ROWS);
  if (!Number.isInteger(page) || page < 1 || page > MOST_PAGES)
    throw refuse(400, 'OMS001', `Max page exceed. The max page is ${MOST_PAGES}`);
  if (!Number.isInteger(perPage) || perPage < 1 || perPage > MOST_ROWS)
    throw refuse(400, 'OMS001', `Max per_page exceed. The max per_page is ${MOST_ROWS}`);
  return { page, perPage };
}

export function pagingDocument(total: number, currentPage: number, perPage: number) {
  return { total, pages: Math.ceil(total / perPage), currentPage, perPage };
}

function filtersOf(call: Call, shop: Shop, at: number): Filter[] {
  const dates: Record<string, (order: Order) => number | null> = {
    creationDate: placedAt,
    authorizedDate: (order) => reachedAt(order, 'paid', at),
    invoicedDate: (order) => invoicedAt(order, at),
  };
  const byDate = Object.entries(dates).flatMap(([name, date]): Filter[] => {
    const asked = call.query.get(`f_${name}`);
    if (asked === null) return [];
    const [, from = '', to = ''] = new RegExp(`^${name}:\\[(\\S+) TO (\\S+)\\]$`).exec(asked) ?? [];
    const [first, last] = [Date.parse(from), Date.parse(to)];
    if (Number.isNaN(first) || Number.isNaN(last))
      throw refuse(400, 'OMS001', `Invalid filter: ${asked}`);
    return [(order) => (date(order) ?? Number.NaN) >= first && (date(order) ?? Number.NaN) <= last];
  });
  const status = call.query.get('f_status');
  const view = { ...shop, now: () => at };
  return status ? [...byDate, (order) => statusOf(order, view) === status] : byDate;
}

const SORTS: Record<string, (order: Order, at: number) => number | string> = {
  creationDate: placedAt,
  orderId: orderIdOf,
  totalValue: totalOf,
};

function sorting(asked: string | null, at: number): (a: Order, b: Order) => number {
  const [name = '', way = 'desc'] = (asked ?? 'creationDate,desc').split(',');
  const key = SORTS[name];
  if (!key) throw refuse(400, 'OMS001', `Invalid orderBy: ${asked}`);
  const sign = way === 'asc' ? 1 : -1;
  return (a, b) => {
    const [one, other] = [key(a, at), key(b, at)];
    return sign * (one < other ? -1 : one > other ? 1 : a.number - b.number);
  };
}
