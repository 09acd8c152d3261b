import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { IS_REPLACED, PUBLIC_RFC, SUBSTITUTION, withoutTags } from '../cfdi/index.ts';
import { IS_WORTH } from '../orders/index.ts';
import { of } from './store-rule.ts';

/** An invoice or a credit note of the seller. */
export interface InvoiceRow {
  readonly uuid: string;
  readonly is_credit: boolean;
  /** To the public: it may hold sales of no order. */
  readonly is_public: boolean;
  readonly currency: string;
  /** Its total, and the taxes that its receiver keeps of it. */
  readonly charged: Decimal;
  readonly issued_at: Instant;
}

/** An order of an invoice. */
export interface InvoicedRow {
  readonly uuid: string;
  readonly marketplace: Marketplace;
  readonly account_id: string;
  readonly order_id: string;
  /** The document itself names the order. */
  readonly is_named: boolean;
}

type OrderRow = Pick<InvoicedRow, 'marketplace' | 'account_id' | 'order_id'>;

const CHARGED = '(c.total + coalesce(c.withheld, 0))';
const IS_IN_EFFECT = (table: string) =>
  `${table}.organization_id = $1 and ${table}.direction = 'issued' and ${table}.type in ('ingreso', 'egreso')
   and ${table}.status <> 'cancelado' and ${table}.total is not null and not ${IS_REPLACED(table)}`;

/**
 * Invoices of an account's orders that one of their orders alone, or the sum of all, does not explain.
 * One to the public may be for more. A second one of an order counts where the SAT has confirmed both:
 * a cancelled one is not always known to be.
 */
const SUSPECTED = statement<{ uuid: string }>(
  'findings.suspected-invoices',
  `select c.uuid
     from cfdis c cross join lateral (
       select count(*) as orders, sum(o.total) as total,
          bool_or(${of('link')}) as is_own, bool_or(link.origin = 'document') as is_named
         from cfdi_orders link left join orders o on o.organization_id = $1
          and o.marketplace = link.marketplace and o.account_id = link.account_id and o.id = link.order_id
        where link.organization_id = $1 and link.uuid = c.uuid and link.state = 'linked') its
    where ${IS_IN_EFFECT('c')} and c.type = 'ingreso'
      and c.issued_at >= $4::timestamptz and c.issued_at <= $5::timestamptz and its.is_own
      and (case when c.receiver_rfc = '${PUBLIC_RFC}' and (its.orders > 1 or its.is_named)
          then its.total > ${CHARGED}
          else its.total <> ${CHARGED} and not (its.orders = 1 and exists (
            select from cfdi_orders link join orders o on o.organization_id = $1
             and o.marketplace = link.marketplace and o.account_id = link.account_id and o.id = link.order_id
           where link.organization_id = $1 and link.uuid = c.uuid and link.state = 'linked'
             and ${IS_WORTH(CHARGED)})) end
        or (c.status = 'vigente' and exists (
          select from cfdi_orders link join cfdi_orders other on other.organization_id = $1
           and other.order_id = link.order_id and other.marketplace = link.marketplace
           and other.account_id = link.account_id and other.uuid <> c.uuid and other.state = 'linked'
          join cfdis d on d.organization_id = $1 and d.uuid = other.uuid
         where link.organization_id = $1 and link.uuid = c.uuid and link.state = 'linked'
           and ${IS_IN_EFFECT('d')} and d.type = 'ingreso' and d.status = 'vigente')))`,
);
const SOME = statement<InvoiceRow>(
  'findings.invoices',
  `select c.uuid, c.type = 'egreso' as is_credit, coalesce(c.receiver_rfc = '${PUBLIC_RFC}', false) as is_public,
      c.currency, ${CHARGED} as charged, c.issued_at
     from cfdis c where ${IS_IN_EFFECT('c')} and c.uuid = any($2::text[])`,
);
/** All links of the orders of some documents. */
const AROUND = statement<InvoicedRow>(
  'findings.invoices-around',
  `select link.uuid, link.marketplace, link.account_id, link.order_id, link.origin = 'document' as is_named
     from (select distinct marketplace, account_id, order_id from cfdi_orders
            where organization_id = $1 and uuid = any($2::text[]) and state = 'linked') near
     join cfdi_orders link on link.organization_id = $1 and link.order_id = near.order_id
      and link.marketplace = near.marketplace and link.account_id = near.account_id and link.state = 'linked'
     join cfdis c on c.uuid = link.uuid and ${IS_IN_EFFECT('c')}`,
);
/** All that the credit notes of, or among, some documents are for; one that they substitute is not. */
const CREDITED = statement<{ uuid: string; related_uuid: string }>(
  'findings.credited-invoices',
  `select distinct r.uuid, r.related_uuid
     from (select uuid from cfdi_relations where organization_id = $1 and related_uuid = any($2::text[])
           union select unnest($2::text[])) near
     join cfdi_relations r on r.organization_id = $1 and r.uuid = near.uuid and r.relation <> '${SUBSTITUTION}'
     join cfdis c on c.uuid = r.uuid and ${IS_IN_EFFECT('c')} and c.type = 'egreso'`,
);
/** Copies of another connected marketplace's orders. */
const COPIES = statement<OrderRow>(
  'findings.copied-orders',
  `select o.marketplace, o.account_id, o.id as order_id from orders o
    where o.organization_id = $1 and o.id = any($2::text[]) and not ${withoutTags('$3')}`,
);

/** @param account the marketplace, the account, and the two ends of the time */
export async function suspected(scope: ReadScope, account: readonly string[]): Promise<string[]> {
  return (await scope.prepared(SUSPECTED, account)).map(({ uuid }) => uuid);
}

export function some(scope: ReadScope, uuids: readonly string[]): Promise<InvoiceRow[]> {
  return scope.prepared(SOME, [uuids]);
}

export function around(scope: ReadScope, uuids: readonly string[]): Promise<InvoicedRow[]> {
  return scope.prepared(AROUND, [uuids]);
}

export function credited(scope: ReadScope, uuids: readonly string[]) {
  return scope.prepared(CREDITED, [uuids]);
}

/** @param tags which `tagsLeftOut` gives */
export function copies(
  scope: ReadScope,
  ids: readonly string[],
  tags: readonly string[],
): Promise<OrderRow[]> {
  return scope.prepared(COPIES, [ids, tags]);
}
