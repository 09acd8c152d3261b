/**
 * The list of orders: filters that are ignored when they are not understood, and the cut at sixty
 * days.
 */
import { type Order, placedAt, reachedAt } from '../order.ts';
import { changedAt, orderDocument } from './documents.ts';
import { type ListArgs, pageOf } from './graphql.ts';
import type { Replay } from './replay.ts';
import type { Store } from './store.ts';

interface OrdersArgs extends ListArgs {
  readonly query?: string | null;
  readonly sortKey?: string;
}

type Filter = (order: Order) => boolean;

const SIXTY_DAYS = 60 * 86_400_000;

export function orderQueries(store: Store, replay: Replay | null) {
  const { world, now } = store;
  /** Older orders are simply not there. */
  const isSeen = (order: Order) =>
    store.isGranted('read_all_orders') || placedAt(order) > now() - SIXTY_DAYS;

  function one(id: string) {
    const number = id.replace('gid://shopify/Order/', '');
    const given = replay?.order(number);
    if (given) return given;
    const order = world.order(number);
    return order && isSeen(order) ? orderDocument(order, store) : null;
  }

  return {
    orders: ({ query, sortKey = 'PROCESSED_AT', ...args }: OrdersArgs) => {
      const filters = store.switches.ignoresFilters ? [] : filtersOf(query ?? '', store);
      const found = world
        .orders()
        .filter((order) => isSeen(order) && filters.every((fits) => fits(order)));
      const time = sortKey === 'UPDATED_AT' ? (order: Order) => changedAt(order, store) : placedAt;
      const keyOf = (order: Order) =>
        `${String(time(order)).padStart(15, '0')}/${order.id.padStart(20, '0')}`;
      const sorted = found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      if (replay && sorted.length === 0) return { nodes: replay.orders, pageInfo: LAST };
      const page = pageOf(sorted, keyOf, args);
      return { ...page, nodes: page.nodes.map((order) => orderDocument(order, store)) };
    },
    order: ({ id }: { id: string }) => one(id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map(one),
  };
}

const LAST = { hasNextPage: false, endCursor: null };
const TERM = /^(\w+):(>=|<=|>|<)?(?:'([^']*)'|([\w-]+))$/;

/**
 * One word that is not understood, a time without quotes among them, and the whole filter counts
 * for nothing.
 */
function filtersOf(query: string, store: Store): Filter[] {
  const filters = query
    .split(/\s+(?=\w+:)/)
    .filter((term) => term !== '')
    .map((term) => filterOf(term.trim(), store));
  return filters.every((filter) => filter !== null) ? filters : [];
}

function filterOf(term: string, store: Store): Filter | null {
  const [, field = '', sign = '=', quoted, plain] = TERM.exec(term) ?? [];
  const times: Record<string, (order: Order) => number> = {
    updated_at: (order) => changedAt(order, store),
    created_at: placedAt,
    processed_at: placedAt,
  };
  const time = times[field];
  if (time) {
    const at = Date.parse(quoted ?? plain ?? '');
    return Number.isNaN(at) ? null : (order) => compare(time(order), sign, at);
  }
  if (field === 'status' && plain === 'cancelled')
    return (order) => reachedAt(order, 'cancelled', store.now()) !== null;
  return field === 'test' ? () => plain === 'false' : null;
}

function compare(left: number, sign: string, right: number): boolean {
  if (sign === '>=') return left >= right;
  if (sign === '<=') return left <= right;
  return sign === '>' ? left > right : sign === '<' ? left < right : left === right;
}
