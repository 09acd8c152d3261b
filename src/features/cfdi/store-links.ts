import type { Marketplace } from '../../connectors/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { IS_BACKFILL } from '../connections/index.ts';
import type { OrderIdentity } from '../orders/index.ts';

const RELATIONS = bulk('cfdi_relations', ['uuid', 'place', 'relation', 'related_uuid', 'amount']);
const LINKS = bulk('cfdi_orders', ['uuid', 'marketplace', 'account_id', 'order_id']);
const ORDERS = bulk('cfdi_orders', ['marketplace', 'account_id', 'order_id']);

const RELATE = RELATIONS.statement(
  'cfdi-relations.add',
  (given) => `insert into cfdi_relations (organization_id, ${RELATIONS.names})
   select $1, * from ${given} on conflict do nothing`,
);
/** A link that a person undid stays undone. */
const LINK = LINKS.statement<{ uuid: string }>(
  'cfdi-orders.add',
  (given) => `insert into cfdi_orders
     (organization_id, ${LINKS.names}, origin, state, linked_at)
   select distinct $1::uuid, ${LINKS.names}, $2::text, 'linked', $3::timestamptz from ${given}
   on conflict do nothing returning uuid`,
);
const LINK_REPORTED = statement<{ uuid: string }>(
  'cfdi-orders.add-reported',
  `insert into cfdi_orders (organization_id, uuid, marketplace, account_id, order_id, origin, state,
     linked_at)
   select distinct $1::uuid, d.uuid, o.marketplace, o.account_id, o.order_id, 'marketplace',
     'linked', $3::timestamptz
     from invoice_documents d
     join cfdis c on c.organization_id = $1 and c.uuid = d.uuid
     join invoice_orders o on o.organization_id = $1 and o.marketplace = d.marketplace
      and o.account_id = d.account_id and o.document_id = d.id
    where d.organization_id = $1 and d.uuid = any($2::text[])
   on conflict do nothing returning uuid`,
);
const SETTLE = statement<object>(
  'cfdi-orders.settle',
  `insert into cfdi_orders as known
     (organization_id, uuid, marketplace, account_id, order_id, origin, state, linked_at)
   values ($1, $2, $3, $4, $5, 'person', $6, $7::timestamptz)
   on conflict (organization_id, uuid, marketplace, account_id, order_id) do update
     set origin = excluded.origin, state = excluded.state, linked_at = excluded.linked_at,
         told_at = null
   where known.state <> excluded.state
   returning 1`,
);
const IS_OF_LINK = `o.organization_id = $1 and o.marketplace = l.marketplace
      and o.account_id = l.account_id and o.id = l.order_id`;
const LINK_COLUMNS = `l.uuid, l.marketplace, l.account_id, l.order_id, l.origin,
       case l.origin
         when 'marketplace' then ${IS_BACKFILL('o.connection_id', 'l.linked_at', ['orders', 'invoices'])}
         else ${IS_BACKFILL('o.connection_id', 'l.linked_at', ['orders'])} end as is_backfill`;
const OF_CFDIS = statement<LinkRow>(
  'cfdi-orders.of-cfdis',
  `select ${LINK_COLUMNS} from cfdi_orders l
     left join orders o on ${IS_OF_LINK}
    where l.organization_id = $1 and l.uuid = any($2::text[]) and l.state = 'linked'
    order by l.uuid, l.marketplace, l.account_id, l.order_id`,
);
const ACCOUNTS = statement<AccountRow>(
  'cfdi-orders.accounts',
  `select distinct uuid, marketplace, account_id from cfdi_orders
    where organization_id = $1 and uuid = any($2::text[]) and state = 'linked'`,
);
const PENDING = statement<LinkRow>(
  'cfdi-orders.pending',
  `select ${LINK_COLUMNS} from cfdi_orders l
     join orders o on ${IS_OF_LINK}
    where l.organization_id = $1 and l.told_at is null and l.state = 'linked'
    order by l.uuid limit $2::int`,
);
const WITH_PENDING = search<{ organization_id: string }>(
  'cfdi-orders.organizations-with-pending',
  () =>
    `select distinct organization_id from cfdi_orders where told_at is null and state = 'linked'`,
);
/**
 * Of several invoices the newest that is not cancelled. Order by order, and then document by
 * document: with few statistics each order would be compared with all documents.
 */
const INVOICES = ORDERS.statement<InvoiceRow>(
  'cfdi-orders.invoices',
  (given) => `select distinct given.marketplace, given.account_id, given.order_id,
       invoice.uuid, invoice.status
     from ${given} left join lateral (
       select c.uuid, c.status from (
         select uuid from cfdi_orders
          where organization_id = $1 and order_id between given.order_id and given.order_id
            and marketplace = given.marketplace and account_id = given.account_id
            and state = 'linked' order by order_id) as l
       cross join lateral (
         select * from cfdis
          where organization_id = $1 and uuid between l.uuid and l.uuid
          order by uuid limit 1) as c
        where c.type = 'ingreso' and c.direction <> 'received'
        order by c.status = 'cancelado', c.issued_at desc limit 1) as invoice on true`,
);
/** An insert that always conflicts finds its rows by their key, which an update need not. */
const MARK_ANNOTATED = ORDERS.statement(
  'cfdi-orders.mark-annotated',
  (given) => `insert into cfdi_orders
     (organization_id, uuid, marketplace, account_id, order_id, origin, state, linked_at, told_at)
   select distinct l.organization_id, l.uuid, l.marketplace, l.account_id, l.order_id, l.origin,
          l.state, l.linked_at, $2::timestamptz
     from ${given} cross join lateral (
       select * from cfdi_orders
        where organization_id = $1 and order_id between given.order_id and given.order_id
          and marketplace = given.marketplace and account_id = given.account_id
          and told_at is null order by order_id) as l
     cross join lateral (
       select from orders
        where organization_id = $1 and marketplace = given.marketplace
          and account_id = given.account_id and id between given.order_id and given.order_id
        order by id limit 1) as stored
    order by 2, 3, 4, 5
   on conflict (organization_id, uuid, marketplace, account_id, order_id) do update
     set told_at = excluded.told_at`,
);
const SET_PENDING = statement<object>(
  'cfdi-orders.set-pending',
  `update cfdi_orders set told_at = null, linked_at = $3::timestamptz
    where organization_id = $1 and uuid = any($2::text[]) and told_at is not null`,
);
/** The relation of a document to those that it substitutes. */
export const SUBSTITUTION = '04';
/**
 * The condition of `cfdis` that a newer one of their issuer substitutes, which is not cancelled.
 * What was substituted is cancelled at the SAT, which is not always asked.
 */
export const IS_REPLACED = (table: string) => `exists (
  select from cfdi_relations newer cross join lateral (
    select n.issuer_rfc, n.status from cfdis n
     where n.organization_id = $1 and n.uuid = newer.uuid offset 0) n
   where newer.organization_id = $1 and newer.related_uuid = ${table}.uuid
     and newer.relation = '${SUBSTITUTION}' and newer.uuid <> ${table}.uuid
     and n.issuer_rfc = ${table}.issuer_rfc and n.status <> 'cancelado')`;
const RELATIONS_OF = statement<RelationRow>(
  'cfdi-relations.of',
  `select r.uuid, r.relation, r.related_uuid, r.amount, c.status, c.type, c.issuer_rfc, c.total,
      c.currency,
      (select count(distinct other.related_uuid)::int from cfdi_relations other
        where other.organization_id = $1 and other.uuid = r.uuid
          and other.relation <> '${SUBSTITUTION}') as related,
      ${IS_REPLACED('c')} as is_replaced
     from cfdi_relations r join cfdis c on c.organization_id = $1 and c.uuid = r.uuid
    where r.organization_id = $1 and r.related_uuid = $2
    order by c.issued_at, r.uuid, r.place`,
);

export type LinkOrigin = 'marketplace' | 'document' | 'person';

interface LinkRow {
  readonly uuid: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly order_id: string;
  readonly origin: LinkOrigin;
  readonly is_backfill: boolean;
}

type AccountRow = Pick<LinkRow, 'uuid' | 'marketplace' | 'account_id'>;
type OrderRow = Pick<LinkRow, 'marketplace' | 'account_id' | 'order_id'>;

interface InvoiceRow extends OrderRow {
  /** Null = none. */
  readonly uuid: string | null;
  readonly status: string | null;
}

/** A document that names the one that was asked for. */
export interface RelationRow {
  readonly uuid: string;
  /** A code of the SAT's catalogue, or `pago`. */
  readonly relation: string;
  readonly related_uuid: string;
  /** What a payment paid of it. */
  readonly amount: string | null;
  readonly status: string;
  readonly type: string;
  readonly issuer_rfc: string;
  readonly total: Decimal | null;
  readonly currency: string | null;
  /** The number of documents that it names, without those that it substitutes. */
  readonly related: number;
  readonly is_replaced: boolean;
}

export interface OrderLink {
  readonly uuid: string;
  readonly order: OrderIdentity;
  readonly origin: LinkOrigin;
  /** It was linked before the first imports of the order's account ended. */
  readonly isBackfill: boolean;
}

export async function relate(
  scope: WriteScope,
  rows: readonly GivenBy<typeof RELATIONS>[],
): Promise<void> {
  if (rows.length > 0) await scope.prepared(RELATE, RELATE.values([], rows));
}

/** @returns the folios with new links */
export async function link(
  scope: WriteScope,
  origin: LinkOrigin,
  links: readonly { readonly uuid: string; readonly order: OrderIdentity }[],
): Promise<string[]> {
  if (links.length === 0) return [];
  const rows = links.map(({ uuid, order }) => ({ uuid, ...keyOf(order) }));
  const given = [origin, scope.clock.now().toString()];
  return (await scope.prepared(LINK, LINK.values(given, rows))).map(({ uuid }) => uuid);
}

/** The links that marketplaces report with their documents. @returns the folios with new ones */
export async function linkReported(scope: WriteScope, uuids: readonly string[]): Promise<string[]> {
  const rows = await scope.prepared(LINK_REPORTED, [uuids, scope.clock.now().toString()]);
  return rows.map(({ uuid }) => uuid);
}

/** @returns whether it was otherwise */
export async function decideLink(
  scope: WriteScope,
  uuid: string,
  { marketplace, accountId, id }: OrderIdentity,
  state: 'linked' | 'rejected',
): Promise<boolean> {
  const values = [uuid, marketplace, accountId, id, state, scope.clock.now().toString()];
  return (await scope.prepared(SETTLE, values)).length > 0;
}

export async function linksOf(scope: ReadScope, uuids: readonly string[]): Promise<OrderLink[]> {
  return (await scope.prepared(OF_CFDIS, [uuids])).map(linkOf);
}

/** The accounts of the orders of documents, each once for its document. */
export async function accountsOf(scope: ReadScope, uuids: readonly string[]) {
  const rows = await scope.prepared(ACCOUNTS, [uuids]);
  return rows.map(({ uuid, marketplace, account_id: accountId }) => ({
    ...{ uuid, marketplace: marketplace as Marketplace, accountId },
  }));
}

/** Organisations with links to orders that do not show them. */
export async function organizationsWithPendingLinks(handle: Handle): Promise<string[]> {
  return (await handle.search(WITH_PENDING, [])).map(({ organization_id }) => organization_id);
}

export async function pendingLinks(scope: ReadScope, limit: number): Promise<OrderLink[]> {
  return (await scope.prepared(PENDING, [limit])).map(linkOf);
}

/** The invoice of each order. */
export async function invoicesOf(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<{ order: OrderIdentity; cfdi: { uuid: string; status: string } | null }[]> {
  const rows = await scope.prepared(INVOICES, INVOICES.values([], orders.map(keyOf)));
  return rows.map(({ uuid, status, ...key }) => ({
    order: orderOf(key),
    cfdi: uuid === null || status === null ? null : { uuid, status },
  }));
}

/** Notes that orders that are stored show their invoices. */
export async function markAnnotated(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  const now = scope.clock.now().toString();
  await scope.prepared(MARK_ANNOTATED, MARK_ANNOTATED.values([now], orders.map(keyOf)));
}

/** Their orders do not show them as they are now. */
export async function setPending(scope: WriteScope, uuids: readonly string[]): Promise<void> {
  await scope.prepared(SET_PENDING, [uuids, scope.clock.now().toString()]);
}

export function relationsTo(scope: ReadScope, uuid: string): Promise<RelationRow[]> {
  return scope.prepared(RELATIONS_OF, [uuid]);
}

function keyOf({ marketplace, accountId, id }: OrderIdentity) {
  return { marketplace, account_id: accountId, order_id: id };
}

function orderOf(row: OrderRow): OrderIdentity {
  const { marketplace, account_id: accountId, order_id: id } = row;
  return { marketplace: marketplace as Marketplace, accountId, id };
}

function linkOf(row: LinkRow): OrderLink {
  const { uuid, origin, is_backfill: isBackfill } = row;
  return { uuid, order: orderOf(row), origin, isBackfill };
}
