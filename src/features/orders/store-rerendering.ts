import type { Marketplace } from '../../connectors/contract.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { OrderIdentity } from './order.ts';
import { KEYS, keyRowOf } from './store-keys.ts';

/** An order's primary key, after which a re-rendering continues; empty = before the first order. */
export interface Position {
  readonly marketplace: string;
  readonly account_id: string;
  readonly order_id: string;
}

/** The progress of re-rendering one organisation's orders. */
export interface Rerendering extends Position {
  readonly organization_id: string;
  readonly total: number | null;
  readonly visited: number;
  readonly changed: number;
  readonly undocumented: number;
  readonly unreadable: number;
  readonly started_at: Instant;
  readonly due_at: Instant;
  readonly ended_at: Instant | null;
  readonly is_failing: boolean;
}

/** An order's key, and whether it has an older representation. */
export interface Key {
  readonly marketplace: Marketplace;
  readonly account_id: string;
  readonly id: string;
  readonly is_stale: boolean;
}

const COLUMNS = `organization_id, marketplace, account_id, order_id, total, visited, changed, undocumented, unreadable,
    started_at, due_at, ended_at, is_failing`;

/** Organisations with orders, except those rendered for this version or a later one already. */
const UNPLANNED = search(
  'orders.unplanned-rerenderings',
  (isAmong) => `select organization_id from delta_clocks clock
    where not exists (select from rerenderings known
                       where known.organization_id = clock.organization_id and known.representation >= $1::smallint
                         and ${isAmong('known.organization_id')})`,
);

const PLAN = statement<object>(
  'orders.plan-rerendering',
  `insert into rerenderings (organization_id, representation, started_at, due_at)
   values ($1, $2::smallint, $3::timestamptz, $3::timestamptz)
   on conflict (organization_id) do update
     set (representation, marketplace, account_id, order_id, total, visited, changed, undocumented, unreadable,
          started_at, due_at, ended_at, is_failing)
       = (excluded.representation, '', '', '', null, 0, 0, 0, 0, excluded.started_at, excluded.due_at, null, false)
     where rerenderings.representation < excluded.representation`,
);

const UNDER_WAY = search<{ organization_id: string }>(
  'orders.rerenderings-under-way',
  () => 'select organization_id from rerenderings where ended_at is null',
  'limit 1',
);

const LOCK_DUE = statement<Rerendering>(
  'orders.lock-due-rerendering',
  `select ${COLUMNS} from rerenderings
    where organization_id = $1 and ended_at is null and representation = $2::smallint
      and due_at <= $3::timestamptz for update skip locked`,
);
/** More than there are workers, each of which locks one. */
const DUE = search<{ organization_id: string }>(
  'orders.due-rerenderings',
  () => `select organization_id, due_at from rerenderings
    where ended_at is null and representation = $1::smallint and due_at <= $2::timestamptz`,
  'order by due_at limit 50',
);

const SAVE = statement<object>(
  'orders.save-rerendering',
  `update rerenderings
      set marketplace = $2, account_id = $3, order_id = $4, total = $5::bigint, visited = $6::bigint, changed = $7::bigint,
          undocumented = $8::bigint, unreadable = $9::bigint, due_at = $10::timestamptz, ended_at = $11::timestamptz,
          is_failing = $12::boolean
    where organization_id = $1`,
);

const PUT_OFF = statement<object>(
  'orders.put-off-rerendering',
  'update rerenderings set due_at = $2::timestamptz, is_failing = true where organization_id = $1',
);

const DROP = statement<object>(
  'orders.drop-rerendering',
  'delete from rerenderings where organization_id = $1',
);

const OF_ORGANIZATION = statement<Rerendering>(
  'orders.rerendering',
  `select ${COLUMNS} from rerenderings where organization_id = $1`,
);

const COUNT = statement<{ count: number }>(
  'orders.count',
  'select count(*) as count from orders where organization_id = $1',
);

const KEYS_AFTER = statement<Key>(
  'orders.keys-after',
  `select marketplace, account_id, id, representation < $5::smallint as is_stale from orders
    where organization_id = $1 and (marketplace, account_id, id) > ($2::text, $3::text, $4::text)
    order by marketplace, account_id, id limit $6::int`,
);

const MARK = KEYS.statement(
  'orders.mark-rendered',
  (given) => `update orders o set representation = $2::smallint from ${given}
    where o.organization_id = $1 and o.marketplace = given.marketplace
      and o.account_id = given.account_id and o.id = given.id`,
);

export async function unplanned(handle: Handle, representation: number): Promise<string[]> {
  return idsOf(await handle.search(UNPLANNED, [representation]));
}

export async function plan(scope: WriteScope, representation: number, now: Instant): Promise<void> {
  await scope.prepared(PLAN, [representation, formatMicros(now)]);
}

export async function drop(handle: WriteHandle, organizationId: string): Promise<void> {
  await handle.raw(DROP, [organizationId]);
}

/** One of those that have not ended. */
export async function underWay(handle: Handle): Promise<string[]> {
  return idsOf(await handle.search(UNDER_WAY, []));
}

/** Organisations whose step is due, the longest first. */
export async function due(handle: Handle, representation: number, now: Instant): Promise<string[]> {
  return idsOf(await handle.search(DUE, [representation, formatMicros(now)]));
}

function idsOf(rows: readonly { readonly organization_id: string }[]): string[] {
  return rows.map((row) => row.organization_id);
}

/** Locks the first of these that is due and that no other transaction has locked. */
export async function lockDue(
  handle: WriteHandle,
  representation: number,
  now: Instant,
  organizationIds: readonly string[],
): Promise<Rerendering | undefined> {
  const values = [representation, formatMicros(now)];
  for (const id of organizationIds) {
    const [locked] = await handle.within(id).prepared(LOCK_DUE, values);
    if (locked) return locked;
  }
  return undefined;
}

export async function save(scope: WriteScope, row: Rerendering): Promise<void> {
  await scope.prepared(SAVE, [
    row.marketplace,
    row.account_id,
    row.order_id,
    row.total,
    row.visited,
    row.changed,
    row.undocumented,
    row.unreadable,
    formatMicros(row.due_at),
    row.ended_at && formatMicros(row.ended_at),
    row.is_failing,
  ]);
}

export async function putOff(scope: WriteScope, until: Instant): Promise<void> {
  await scope.prepared(PUT_OFF, [formatMicros(until)]);
}

export async function ofOrganization(scope: ReadScope): Promise<Rerendering | undefined> {
  return (await scope.prepared(OF_ORGANIZATION, []))[0];
}

export async function countOrders(scope: ReadScope): Promise<number> {
  return (await scope.prepared(COUNT, []))[0]?.count ?? 0;
}

/** The next orders by primary key. */
export function keysAfter(
  scope: ReadScope,
  { marketplace, account_id, order_id }: Position,
  representation: number,
  limit: number,
): Promise<Key[]> {
  return scope.prepared(KEYS_AFTER, [marketplace, account_id, order_id, representation, limit]);
}

/** Marks orders whose content is the same in this representation. */
export async function mark(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
  representation: number,
): Promise<void> {
  if (orders.length === 0) return;
  await scope.prepared(MARK, MARK.values([representation], orders.map(keyRowOf)));
}
