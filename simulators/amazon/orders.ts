/** Orders, 2026-01-01. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt } from '../order.ts';
import { orderDocument, updatedAt } from './documents.ts';
import {
  DAY,
  invalid,
  iso,
  MEXICO,
  MINUTE,
  readToken,
  refuse,
  type Shop,
  timeOf,
  tokenFor,
} from './shop.ts';

const MOST_RESULTS = 100;
const FAMILIES = ['created', 'lastUpdated'] as const;

/**
 * Behind which order a page goes on. An order that changes meanwhile leaves the window, or is
 * listed later.
 */
interface Position {
  readonly at: number;
  readonly time: number;
  readonly number: number;
  readonly asked: string;
}

export function orderRoutes(shop: Shop): Routes {
  const { world, now } = shop;

  function search(call: Call): Reply {
    shop.enter(call, 'searchOrders');
    const { family, from, to } = windowOf(call, now() - 2 * MINUTE);
    const most = Math.min(mostOf(call), shop.pageRows);
    const asked = sameParameters(call);
    const position = readToken<Position>(call.query.get('paginationToken'), DAY, now());
    if (position && position.asked !== asked)
      throw invalid('The other parameters must be those of the first page');
    const timeBy = (order: Order) =>
      family === 'created' ? placedAt(order) : updatedAt(order, now());
    const isHere = (call.query.get('marketplaceIds') ?? MEXICO).split(',').includes(MEXICO);
    const left = world
      .orders()
      .filter((order) => isHere && timeBy(order) >= from && timeBy(order) <= to)
      .sort((a, b) => timeBy(a) - timeBy(b) || a.number - b.number)
      .filter((order) => !position || isBehind(timeBy(order), order.number, position));
    const page = left.slice(0, most);
    const last = page.at(-1);
    const next = last && { at: now(), time: timeBy(last), number: last.number, asked };
    return {
      body: {
        orders: page.map((order) => orderDocument(order, shop, setsOf(call))),
        ...(left.length > most && next && { pagination: { nextToken: tokenFor(next) } }),
        [`${family}Before`]: iso(to),
      },
    };
  }

  function getOrder(call: Call): Reply {
    shop.enter(call, 'getOrder');
    const id = call.params.id ?? '';
    if (!/^\d{3}-\d{7}-\d{7}$/.test(id)) throw invalid('The orderId is not valid');
    const order = world.order(id);
    if (!order) throw refuse(404, 'NotFound', `Order ${id} was not found`);
    return { body: { order: orderDocument(order, shop, setsOf(call)) } };
  }

  return { 'GET /orders/2026-01-01/orders': search, 'GET /orders/2026-01-01/orders/:id': getOrder };
}

/** By which time orders are asked for, and from when to when. Throws the documented refusal. */
function windowOf(call: Call, newest: number) {
  const given = FAMILIES.filter((family) =>
    ['After', 'Before'].some((end) => call.query.has(family + end)),
  );
  const [family] = given;
  if (!family || given.length > 1 || !call.query.has(`${family}After`))
    throw invalid('Provide exactly one of createdAfter and lastUpdatedAfter, and no mix of both');
  const from = timeOf(call, `${family}After`) ?? 0;
  const to = timeOf(call, `${family}Before`) ?? newest;
  if (to > newest) throw invalid(`${family}Before must be at least two minutes before now`);
  if (to < from) throw invalid(`${family}Before must not be before ${family}After`);
  return { family, from, to };
}

function mostOf({ query }: Call): number {
  const most = Number(query.get('maxResultsPerPage') ?? MOST_RESULTS);
  if (!(most >= 1 && most <= MOST_RESULTS))
    throw invalid('maxResultsPerPage must be between 1 and 100');
  return most;
}

function setsOf({ query }: Call): ReadonlySet<string> {
  return new Set((query.get('includedData') ?? '').split(','));
}

function sameParameters({ query }: Call): string {
  const others = [...query].filter(([name]) => name !== 'paginationToken').sort();
  return new URLSearchParams(others).toString();
}

function isBehind(time: number, number: number, position: Position): boolean {
  return time > position.time || (time === position.time && number > position.number);
}
