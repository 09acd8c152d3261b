import type { Marketplace, OrderStatus } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { statementsOf } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { ceilMillis } from '../orders/index.ts';

/** Sales that need an invoice: returns and refunds need none, or have a credit note. */
const SOLD: readonly OrderStatus[] = [
  'paid',
  'ready_to_ship',
  'partially_shipped',
  'shipped',
  'delivered',
];
/** The buyer of invoices to the public. */
export const PUBLIC_RFC = 'XAXX010101000';

const OF_ORDER = (table: string) =>
  `${table}.organization_id = $1 and ${table}.order_id = o.id and ${table}.marketplace = o.marketplace
   and ${table}.account_id = o.account_id`;
const READ = `from cfdi_orders link join cfdis c on c.organization_id = $1 and c.uuid = link.uuid
   and c.type = 'ingreso' and c.direction <> 'received'
  where ${OF_ORDER('link')} and link.state = 'linked'`;
const INVOICE = `${READ} and c.status <> 'cancelado'`;
/**
 * An invoice that a marketplace keeps and that is not read may be one to the buyer. One without XML
 * is never read: beside an invoice that was read it is its PDF.
 */
const UNREAD = `from invoice_orders kept join invoice_documents d on d.organization_id = $1
   and d.marketplace = kept.marketplace and d.account_id = kept.account_id and d.id = kept.document_id
  where ${OF_ORDER('kept')} and d.read_at is null
   and (d.xml is not null or d.xml_box is not null or not exists (select ${READ}))`;
/** A tag is a whole text of the document; within another text its quotes are escaped. */
const HAS_TAG = (tag: string) => `position(${tag} in o.detail_json) > 0`;
/** The condition of orders `o` with none of the tags of a parameter, which `tagsLeftOut` gives. */
export const withoutTags = (tags: string) =>
  `not exists (select from unnest(${tags}::text[]) as tag where ${HAS_TAG('tag')})`;
/** The condition of orders `o` that are no tests. */
export const IS_NO_TEST = `not ${HAS_TAG(`'"test_order"'`)}`;
const IS_SOLD = `o.status in (${listed(SOLD)}) and o.total > 0 and ${IS_NO_TEST}`;

/**
 * The condition of orders `o` of the organisation `$1` that were sold and have no invoice: none that
 * is not cancelled, and none that was not read yet.
 */
export const WITHOUT_INVOICE = `${IS_SOLD} and not exists (select ${INVOICE}) and not exists (select ${UNREAD})`;

const CONDITIONS = {
  pending: WITHOUT_INVOICE,
  public: `${IS_SOLD} and not exists (select ${INVOICE} and coalesce(c.receiver_rfc, '') <> '${PUBLIC_RFC}')
    and not exists (select ${UNREAD})`,
} as const;

/** `pending` = without any invoice; `public` = without one to the buyer, global ones allowed. */
export const UNINVOICED_KINDS = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
export type UninvoicedKind = keyof typeof CONDITIONS;

/** The newest first. */
export type UninvoicedPosition = readonly [number, string, string, string];

export interface UninvoicedOrder {
  readonly marketplace: Marketplace;
  readonly account_id: string;
  readonly order_id: string;
  readonly status: OrderStatus;
  readonly date_created: Instant;
  readonly newest_first: number;
  readonly total: Decimal;
  /** Null where the marketplace does not give it. */
  readonly tax_total: Decimal | null;
  readonly currency: string;
  /** The folio of the global invoice that it is in; null = none. */
  readonly global_uuid: string | null;
}

export interface UninvoicedSum {
  /** `2026-10` */
  readonly month: string;
  readonly marketplace: Marketplace;
  readonly currency: string;
  readonly orders: number;
  readonly total: Decimal;
}

export interface UninvoicedTerms {
  readonly kind: UninvoicedKind;
  readonly from: Instant;
  /** Null = until now. */
  readonly to: Instant | null;
  readonly marketplace: Marketplace | null;
  /** Tags of orders that are left out, besides tests, as they are in documents. */
  readonly leftOut: readonly string[];
}

const pageFor = statementsOf<UninvoicedOrder>('uninvoiced.page');
const sumsFor = statementsOf<UninvoicedSum>('uninvoiced.sums');
const KEY = 'o.newest_first, o.marketplace, o.account_id, o.id';

/** The newest first. */
export function page(
  scope: ReadScope,
  terms: UninvoicedTerms,
  after: UninvoicedPosition | null,
  limit: number,
): Promise<UninvoicedOrder[]> {
  const { where, values, bind } = conditionsOf(terms);
  if (after) {
    const [newest, ...key] = after;
    const place = [bind(newest, 'bigint'), ...key.map((part) => bind(part, 'text'))];
    where.push(`(${KEY}) > (${place.join(', ')})`);
  }
  const text = `select o.marketplace, o.account_id, o.id as order_id, o.status, o.date_created, o.newest_first,
      o.total, (o.detail_json::jsonb ->> 'tax_total')::numeric as tax_total, o.currency,
      (select c.uuid ${INVOICE} and c.receiver_rfc = '${PUBLIC_RFC}' order by c.issued_at desc limit 1) as global_uuid
     from orders o where ${where.join(' and ')} order by ${KEY} limit ${bind(limit, 'int')}`;
  return scope.prepared(pageFor(text), values);
}

/** By month of a time zone, marketplace and currency; the newest month first. */
export function sums(
  scope: ReadScope,
  terms: UninvoicedTerms,
  timezone: string,
): Promise<UninvoicedSum[]> {
  const { where, values, bind } = conditionsOf(terms);
  const month = `to_char(o.date_created at time zone ${bind(timezone, 'text')}, 'YYYY-MM')`;
  const text = `select ${month} as month, o.marketplace, o.currency, count(*)::int4 as orders,
      sum(o.total) as total
     from orders o where ${where.join(' and ')}
    group by 1, 2, 3 order by 1 desc, 2, 3`;
  return scope.prepared(sumsFor(text), values);
}

function conditionsOf({ kind, from, to, marketplace, leftOut }: UninvoicedTerms) {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind = (value: unknown, type: string) => `$${values.push(value) + 1}::${type}`;
  const where = ['o.organization_id = $1'];
  where.push(`o.newest_first <= ${bind(-ceilMillis(from), 'bigint')}`);
  if (to) where.push(`o.newest_first >= ${bind(-to.epochMilliseconds, 'bigint')}`);
  if (marketplace !== null) where.push(`o.marketplace = ${bind(marketplace, 'text')}`);
  where.push(CONDITIONS[kind]);
  where.push(withoutTags(bind(leftOut, 'text[]')));
  return { where, values, bind };
}
