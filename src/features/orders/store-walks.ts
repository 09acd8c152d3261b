import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';
import type { AccountOfOrders, OrderIdentity } from './order.ts';
import { identityOf, type KeyRow } from './store-keys.ts';

const IDS_AFTER = statement<Pick<KeyRow, 'id'>>(
  'orders.ids-after',
  `select id from orders
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id > $4
    order by id limit $5`,
);

/** An account's orders by id. */
export async function idsAfter(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await scope.prepared(IDS_AFTER, [marketplace, accountId, after, limit]);
  return rows.map((row) => row.id);
}

const NAMED = statement<KeyRow>(
  'orders.named',
  `select marketplace, account_id, id from orders
    where organization_id = $1 and id = any($2::text[])`,
);

/** Orders with one of these ids, of any account. */
export async function ordersNamed(
  scope: ReadScope,
  ids: readonly string[],
): Promise<OrderIdentity[]> {
  return (await scope.prepared(NAMED, [ids])).map(identityOf);
}

export type StoredOrder = Pick<Rows['orders'], keyof KeyRow | 'detail_json'>;

const AFTER = statement<StoredOrder>(
  'orders.after',
  `select marketplace, account_id, id, detail_json from orders
    where organization_id = $1
      and (marketplace, account_id, id) > ($2::text, $3::text, $4::text)
    order by marketplace, account_id, id limit $5`,
);

/** By primary key. */
export function storedAfter(
  scope: ReadScope,
  { marketplace, account_id, id }: KeyRow,
  limit: number,
): Promise<StoredOrder[]> {
  return scope.prepared(AFTER, [marketplace, account_id, id, limit]);
}

const CREATED = statement<CreatedOrder>(
  'orders.created-after',
  `select newest_first, marketplace, account_id, id, detail_json from orders
    where organization_id = $1 and newest_first <= $2
      and (newest_first, marketplace, account_id, id) > ($3::bigint, $4::text, $5::text, $6::text)
    order by newest_first, marketplace, account_id, id limit $7`,
);

export type CreatedOrder = StoredOrder & Pick<Rows['orders'], 'newest_first'>;

/** Created at `from` or later, and before `to`; the newest first, and those after one of them. */
export function storedOfPeriod(
  scope: ReadScope,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  after: CreatedOrder | null,
  limit: number,
): Promise<CreatedOrder[]> {
  const { newest_first, marketplace, account_id, id } = after ?? {
    newest_first: 1 - to.epochMilliseconds,
    marketplace: '',
    account_id: '',
    id: '',
  };
  const place = [newest_first, marketplace, account_id, id];
  return scope.prepared(CREATED, [-from.epochMilliseconds, ...place, limit]);
}

const COUNT = statement<{ orders: number }>(
  'orders.count-created',
  `select count(*)::bigint as orders
     from unnest($2::bigint[], $3::bigint[]) as period (newest, oldest) cross join lateral (
       select from orders where organization_id = $1
          and newest_first > period.newest and newest_first <= period.oldest) as own`,
);

/** How many were created in any of these periods; their ends are not included. */
export async function countOrdersOf(
  scope: ReadScope,
  periods: readonly { readonly from: Instant; readonly to: Instant }[],
): Promise<number> {
  const values = [
    periods.map(({ to }) => -to.epochMilliseconds),
    periods.map(({ from }) => -from.epochMilliseconds),
  ];
  const [row] = await scope.prepared(COUNT, values);
  return row?.orders ?? 0;
}

const OPEN = statement<Pick<KeyRow, 'id'>>(
  'orders.open',
  `select id from orders
    where organization_id = $1 and connection_id = $2 and newest_first <= $3 and id > $4
      and status in ('pending', 'paid', 'ready_to_ship', 'partially_shipped', 'shipped', 'unknown')
    order by id limit $5`,
);

/** Orders of a connection that may still change, by id. */
export async function openAfter(
  scope: ReadScope,
  connectionId: string,
  createdSince: Instant,
  after: string,
  limit: number,
): Promise<string[]> {
  const values = [connectionId, -createdSince.epochMilliseconds, after, limit];
  return (await scope.prepared(OPEN, values)).map((row) => row.id);
}

/** Of an account's orders in one of these statuses, those that were created in a period, by id. */
const ofStatus = (name: string, status: string) =>
  statement<Pick<KeyRow, 'id'>>(
    name,
    `select id from orders
      where organization_id = $1 and marketplace = $2 and account_id = $3 and status ${status}
        and newest_first <= $4 and newest_first > $5 and id > $6
      order by id limit $7`,
  );
const OF_STATUS = {
  delivered: ofStatus('orders.delivered', `= 'delivered'`),
  sent: ofStatus(
    'orders.sent',
    `in ('ready_to_ship', 'partially_shipped', 'shipped', 'delivered', 'returned', 'refunded')`,
  ),
};

/** @param which `sent`: packed or sent, whatever became of them since */
export async function idsOfStatus(
  scope: ReadScope,
  which: keyof typeof OF_STATUS,
  { marketplace, accountId }: { readonly marketplace: string; readonly accountId: string },
  { from, to }: { readonly from: Instant; readonly to: Instant },
  after: string,
  limit: number,
): Promise<string[]> {
  const span = [-from.epochMilliseconds, -to.epochMilliseconds];
  const values = [marketplace, accountId, ...span, after, limit];
  return (await scope.prepared(OF_STATUS[which], values)).map((row) => row.id);
}

const STORED = statement<{ id: string }>(
  'orders.stored-among',
  `select id from orders
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = any($4::text[])`,
);

export async function storedAmong(
  scope: ReadScope,
  { marketplace, accountId }: { readonly marketplace: string; readonly accountId: string },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.prepared(STORED, [marketplace, accountId, ids]);
  return new Set(rows.map(({ id }) => id));
}
