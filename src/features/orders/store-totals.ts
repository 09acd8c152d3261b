import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity, PublicOrder } from './order.ts';
import { readDetail } from './public/render.ts';
import { identityOf, type KeyRow } from './store-keys.ts';
import type { StoredOrder } from './store-walks.ts';

/** What an order is worth. */
export interface OrderTotal extends OrderIdentity {
  /** Null where the source withholds it. */
  readonly total: TotalRow['total'];
  readonly currency: TotalRow['currency'];
  /** Amounts that its total leaves out; a discount is negative. */
  readonly beside: readonly Decimal[];
  /** Null = it is in no pack. */
  readonly packId: string | null;
  /** The buyer's shipping of the whole pack. */
  readonly packShipping: Decimal;
  /** What the buyer got back; all of an order that was cancelled. */
  readonly givenBack: Decimal;
}

interface TotalRow extends Pick<Rows['orders'], keyof KeyRow | 'total' | 'currency'> {
  readonly shipping: Decimal;
  readonly tax: Decimal;
  readonly discount: Decimal;
  readonly pack_id: string | null;
  readonly pack_shipping: Decimal;
  readonly given_back: Decimal;
}

/** The amount of a part that the total of the detail leaves out. */
const leftOut = (includes: string, part: string) =>
  `coalesce(case when detail.it #>> '{total_includes,${includes}}' = 'false'
      then (detail.it ->> '${part}')::numeric end, 0)`;
/** Of orders `o`. */
const BESIDE = `cross join lateral (select o.detail_json::jsonb as it offset 0) detail
  cross join lateral (select ${leftOut('shipping', 'shipping_total')} as shipping,
    ${leftOut('tax', 'tax_added')} as tax, -${leftOut('order_discount', 'order_discount')} as discount,
    detail.it #>> '{pack,id}' as pack_id,
    coalesce((detail.it #>> '{pack,shipping_total}')::numeric, 0) as pack_shipping,
    coalesce(case o.status when 'cancelled' then o.total
      else (detail.it ->> 'refunded_total')::numeric end, 0) as given_back) beside`;
/**
 * The condition of an order `o` that an invoice of this amount may be for: its total, with any of the
 * parts that the total leaves out.
 */
export const IS_WORTH = (amount: string) => `(o.total = ${amount} or exists (
  select from (select) one ${BESIDE}
    cross join unnest(array[0, beside.shipping]) with_shipping
    cross join unnest(array[0, beside.tax]) with_tax
    cross join unnest(array[0, beside.discount]) with_discount
    cross join unnest(array[0, beside.pack_shipping]) with_pack
   where o.total + with_shipping + with_tax + with_discount + with_pack = ${amount}))`;

const TOTALS = statement<TotalRow>(
  'orders.totals',
  `select o.marketplace, o.account_id, o.id, o.total, o.currency, beside.*
     from orders o ${BESIDE}
    where o.organization_id = $1 and o.id = any($2::text[])`,
);
const PACK_TOTALS = statement<TotalRow>(
  'orders.pack-totals',
  `select o.marketplace, o.account_id, o.id, o.total, o.currency, beside.*
     from (select distinct value from unnest($2::text[]) as value) as given
    cross join lateral (
      select marketplace, account_id, order_id from order_relations
       where organization_id = $1 and value = given.value and kind = 'pack' offset 0) as pack
    cross join lateral (
      select * from orders
       where organization_id = $1 and marketplace = pack.marketplace
         and account_id = pack.account_id and id = pack.order_id offset 0) as o
    ${BESIDE}`,
);
/** Names in one statement. */
const AT_ONCE = 5_000;

/** Orders with one of these ids, of any account, with their totals. */
export function orderTotals(scope: ReadScope, ids: readonly string[]): Promise<OrderTotal[]> {
  return totals(scope, TOTALS, ids);
}

/** Orders of packs with one of these ids, of any account. */
export function packTotals(scope: ReadScope, ids: readonly string[]): Promise<OrderTotal[]> {
  return totals(scope, PACK_TOTALS, ids);
}

async function totals(
  scope: ReadScope,
  asked: typeof TOTALS,
  ids: readonly string[],
): Promise<OrderTotal[]> {
  const found: OrderTotal[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    for (const row of await scope.prepared(asked, [ids.slice(from, from + AT_ONCE)]))
      found.push(totalOf(row));
  return found;
}

function totalOf({ total, currency, shipping, tax, discount, ...row }: TotalRow): OrderTotal {
  const { pack_id: packId, pack_shipping: packShipping, given_back: givenBack, ...key } = row;
  const beside = [shipping, tax, discount];
  return { ...identityOf(key), total, currency, beside, packId, packShipping, givenBack };
}

const OF_TOTAL = statement<StoredOrder>(
  'orders.of-total',
  `select o.marketplace, o.account_id, o.id, o.detail_json from orders o
    where o.organization_id = $1 and o.newest_first <= $2 and o.newest_first > $3
      and o.total between $4::numeric / 2 and $4::numeric * 2 and o.currency = $5
      and ${IS_WORTH('$4::numeric')}
    order by o.newest_first, o.marketplace, o.account_id, o.id limit $6`,
);

/** Created at `from` or later and before `to`, and worth exactly so much; the newest first. */
export async function ordersOfTotal(
  scope: ReadScope,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  { total, currency }: { readonly total: string; readonly currency: string },
  limit: number,
): Promise<PublicOrder[]> {
  const span = [-from.epochMilliseconds, -to.epochMilliseconds];
  const rows = await scope.prepared(OF_TOTAL, [...span, total, currency, limit]);
  return rows.map(({ detail_json }) => readDetail(detail_json));
}
