import type { Instant } from '../../platform/time.ts';
import { apart } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { readOne } from '../read-rows.ts';
import { tooLarge } from '../too-large.ts';
import type { ShopifyCredentials } from './credentials.ts';
import {
  type Answered,
  ask,
  broken,
  completed,
  gid,
  type Position,
  positionAfter,
  positionOf,
  smaller,
  withList,
} from './graphql.ts';
import { AGREEMENTS, MORE_LINES, ONE_ORDER, OPEN_ORDERS, ORDER_IDS, ORDERS } from './queries.ts';
import {
  changeTimeOf,
  isReduced,
  OneOrder,
  OrdersPage,
  orderIdOf,
  SomeOrders,
  storedParts,
  toSourceOrder,
} from './wire.ts';

type ShopifyCall = Call<ShopifyCredentials>;

/** Fifty lines each: the cost of a page is known only afterwards, so it begins small. */
const PAGE_SIZE = 25;

/** The position of a sync run: in the list, then among the stored orders that may still change. */
interface OrdersPosition extends Position {
  readonly open?: true;
}

export const orders: Stream<SourceOrder, ShopifyCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 5 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position: OrdersPosition = positionOf(request.position, PAGE_SIZE);
    return position.open ? readOpen(call, request, position) : readPage(call, request, position);
  },

  async tooLarge(call, request) {
    const position: OrdersPosition = positionOf(request.position, PAGE_SIZE);
    return position.open ? leaveOpen(request, position) : leaveOut(call, request, position);
  },

  async ids(call, request) {
    const position = positionOf(request.position, PAGE_SIZE);
    const variables = {
      q: filterOf(request),
      after: position.after,
      n: Math.min(position.size, request.limit),
    };
    const answered = await ask(call, ORDER_IDS, variables, OrdersPage);
    if (!answered) return { ids: [], next: smaller(position) };
    const { nodes, pageInfo } = answered.data.orders;
    return { ids: nodes.map(orderIdOf), next: positionAfter(position, pageInfo) };
  },

  async one(call, id) {
    if (!/^\d+$/.test(id)) return [];
    const answered = await ask(call, ONE_ORDER, { id: gid('Order', id) }, OneOrder);
    if (!answered) throw broken(['order'], 'it costs more than a query may');
    const { order } = answered.data;
    return order ? readOrder(call, order, answered) : [];
  },
};

async function readPage(
  call: ShopifyCall,
  request: StreamRequest,
  position: OrdersPosition,
): Promise<Page<SourceOrder>> {
  const n = Math.min(position.size, request.limit);
  const variables = { q: filterOf(request), after: position.after, n };
  const answered = await ask(call, ORDERS, variables, OrdersPage);
  if (!answered) return { items: [], next: smaller(position) };
  const { nodes, pageInfo } = answered.data.orders;
  if (position.after === null) assertFiltered(nodes[0], request.window.from);
  return {
    items: await readAll(call, nodes, answered),
    next: positionAfter(position, pageInfo) ?? openOrders(request),
  };
}

/** The order at the position by its id alone, which the list returns without the rest. */
async function leaveOut(
  call: ShopifyCall,
  request: StreamRequest,
  position: OrdersPosition,
): Promise<Page<SourceOrder>> {
  const variables = { q: filterOf(request), after: position.after, n: 1 };
  const answered = await ask(call, ORDER_IDS, variables, OrdersPage);
  if (!answered) throw broken(['orders'], 'an id costs more than a query may');
  const { nodes, pageInfo } = answered.data.orders;
  return {
    items: nodes.map(orderIdOf).flatMap((id) => (id === null ? [] : tooLarge(id))),
    next: positionAfter(position, pageInfo) ?? openOrders(request),
  };
}

/** After the list; at a first import no open orders are stored. */
function openOrders({ window }: StreamRequest): string | null {
  const position: OrdersPosition = { after: null, size: PAGE_SIZE, open: true };
  return window.from && JSON.stringify(position);
}

/** A delivery may not change its order's time, so orders that may still change are fetched. */
async function readOpen(
  call: ShopifyCall,
  request: StreamRequest,
  position: OrdersPosition,
): Promise<Page<SourceOrder>> {
  const most = Math.min(position.size, request.limit);
  const ids = await request.nonFinalIds(position.after, most);
  if (ids.length === 0) return { items: [], next: null };
  const variables = { ids: ids.map((id) => gid('Order', id)) };
  const answered = await ask(call, OPEN_ORDERS, variables, SomeOrders);
  if (!answered) return { items: [], next: smaller(position) };
  const found = answered.data.nodes.filter((row) => row !== null);
  return {
    items: await readAll(call, found, answered),
    next: ids.length < most ? null : behindOpen(position, ids),
  };
}

async function leaveOpen(
  request: StreamRequest,
  position: OrdersPosition,
): Promise<Page<SourceOrder>> {
  const ids = await request.nonFinalIds(position.after, 1);
  return { items: ids.map(tooLarge), next: ids.length === 0 ? null : behindOpen(position, ids) };
}

function behindOpen(position: OrdersPosition, ids: readonly string[]): string {
  return JSON.stringify({ ...position, after: ids.at(-1) ?? null } satisfies OrdersPosition);
}

/** A time without quotes would end at its first colon. */
function filterOf({ window: { from, to } }: StreamRequest): string {
  const upper = `updated_at:<='${wholeSecond(to, 'ceil')}'`;
  return from ? `updated_at:>='${wholeSecond(from, 'floor')}' ${upper}` : upper;
}

/**
 * A filter that is not understood is ignored, and the list returns everything: the run stops
 * instead of reading all of it each time.
 */
function assertFiltered(first: unknown, from: Instant | null): void {
  const changedAt = from && changeTimeOf(first);
  if (
    changedAt &&
    Temporal.Instant.compare(changedAt, Temporal.Instant.from(wholeSecond(from, 'floor'))) < 0
  )
    throw broken(
      ['orders', 'nodes', 0, 'updatedAt'],
      'it lies before the window: the filter was ignored',
    );
}

async function readAll(call: ShopifyCall, rows: readonly unknown[], answered: Answered<unknown>) {
  const items: Read<SourceOrder>[] = [];
  for (const row of rows) items.push(...(await readOrder(call, row, answered)));
  return items;
}

async function readOrder(
  call: ShopifyCall,
  row: unknown,
  { withheld, fetchedAt }: Answered<unknown>,
): Promise<readonly Read<SourceOrder>[]> {
  return apart(orderIdOf(row), async () => {
    const whole = await completed(call, row, 'lineItems', MORE_LINES);
    const order = isReduced(whole) ? await withList(call, whole, 'agreements', AGREEMENTS) : whole;
    return readOne(order, () => toSourceOrder({ order, withheld }, fetchedAt), orderIdOf);
  });
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const parts = storedParts(raw);
  return readOne(parts.order, () => toSourceOrder(parts, fetchedAt), orderIdOf);
}

function wholeSecond(instant: Instant, roundingMode: 'floor' | 'ceil'): string {
  return instant.round({ smallestUnit: 'second', roundingMode }).toString();
}
