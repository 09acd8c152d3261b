import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { AccountOfOrders, OrderIdentity } from '../orders/index.ts';

const DATA = bulk('billing_data', ['order_id', 'data_box', 'data_digest']);

const UPSERT = DATA.statement<{ order_id: string }>(
  'billing-data.upsert',
  (given) => `insert into billing_data as known
     (organization_id, marketplace, account_id, recorded_at, ${DATA.names})
   select $1, $2::text, $3::text, $4::timestamptz, * from ${given}
   on conflict (organization_id, order_id, marketplace, account_id) do update
     set data_box = excluded.data_box, data_digest = excluded.data_digest,
         recorded_at = excluded.recorded_at
   where known.data_digest <> excluded.data_digest
   returning order_id`,
);
const ONE = statement<{ data_box: Buffer }>(
  'billing-data.one',
  `select data_box from billing_data
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4`,
);
const GIVEN = statement<{ order_id: string }>(
  'billing-data.given',
  `select order_id from billing_data
    where organization_id = $1 and marketplace = $2 and account_id = $3
      and order_id = any($4::text[])`,
);
const FORGET = statement<object>(
  'billing-data.forget',
  `delete from billing_data
    where organization_id = $1 and marketplace = $2 and account_id = $3
      and order_id = any($4::text[])`,
);

const FORGET_ACCOUNT = statement<object>(
  'billing-data.forget-account',
  `delete from billing_data
    where organization_id = $1 and marketplace = $2 and account_id = $3`,
);

/** @returns how many are new or different */
export async function upsert(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  rows: readonly GivenBy<typeof DATA>[],
): Promise<number> {
  const given = [marketplace, accountId, scope.clock.now().toString()];
  return (await scope.prepared(UPSERT, UPSERT.values(given, rows))).length;
}

export async function boxOf(
  scope: ReadScope,
  { marketplace, accountId, id }: OrderIdentity,
): Promise<Buffer | null> {
  const [row] = await scope.prepared(ONE, [marketplace, accountId, id]);
  return row?.data_box ?? null;
}

export async function givenAmong(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  orderIds: readonly string[],
): Promise<string[]> {
  const rows = await scope.prepared(GIVEN, [marketplace, accountId, orderIds]);
  return rows.map(({ order_id }) => order_id);
}

export async function forget(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  orderIds: readonly string[],
): Promise<void> {
  await scope.prepared(FORGET, [marketplace, accountId, orderIds]);
}

export async function forgetAccount(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
): Promise<void> {
  await scope.prepared(FORGET_ACCOUNT, [marketplace, accountId]);
}
