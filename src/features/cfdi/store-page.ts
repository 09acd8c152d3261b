import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statementsOf } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import { CFDI_STATUSES, CFDI_TYPES, type CfdiDocument, MOST_ORDERS } from './document.ts';

/** Microseconds of the place in the list, and the key. */
export type DocumentPosition = readonly [number, string, string, string];

/** All conditions hold together; null = no condition. */
interface DocumentPageRequest {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly type: string | null;
  readonly status: string | null;
  readonly uuid: string | null;
  readonly orderId: string | null;
  readonly rfc: string | null;
  readonly after: DocumentPosition | null;
  readonly limit: number;
}

interface DocumentRow {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly uuid: string | null;
  readonly type: string;
  readonly status: string;
  readonly issuer_rfc: string | null;
  readonly receiver_rfc: string | null;
  readonly total: Decimal | null;
  readonly currency: string | null;
  readonly issued_at: Instant | null;
  readonly first_seen_at: Instant;
  readonly listed_at: Instant;
  readonly file_name: string | null;
  readonly xml_bytes: number | null;
  readonly read_at: Instant | null;
  readonly read_failure: string | null;
  readonly order_ids: string[];
}

/**
 * The values of the column until the XML is read or the SAT queried, and the types that sellers do
 * not issue for sales.
 */
const EVERY_TYPE = [...CFDI_TYPES, 'nomina', 'desconocido'];
const EVERY_STATUS = [...CFDI_STATUSES, 'desconocido'];

const KEY = ['d.listed_at', 'd.marketplace', 'd.account_id', 'd.id'];
const NEWEST_FIRST = `order by ${KEY.map((column) => `${column} desc`).join(', ')}`;
const SHOWN = `d.marketplace, d.account_id, d.id, d.uuid, d.type, d.status, d.issuer_rfc, d.receiver_rfc, d.total,
  d.currency, d.issued_at, d.first_seen_at, d.listed_at, d.file_name, coalesce(octet_length(d.xml), d.xml_bytes) as xml_bytes,
  d.read_at, d.read_failure, array(
    select order_id from (
      select o.order_id from invoice_orders o
       where o.organization_id = $1 and o.marketplace = d.marketplace and o.account_id = d.account_id
         and o.document_id = d.id and not exists (
           select from cfdi_orders l where l.organization_id = $1 and l.uuid = d.uuid
            and l.marketplace = o.marketplace and l.account_id = o.account_id
            and l.order_id = o.order_id and l.state = 'rejected')
      union select l.order_id from cfdi_orders l
       where l.organization_id = $1 and l.uuid = d.uuid and l.state = 'linked') linked
     order by order_id limit ${MOST_ORDERS + 1}) as order_ids`;

const statementFor = statementsOf<DocumentRow>('cfdi.page');

/**
 * Each combination of conditions is a statement of its own, with an index that finds its rows or
 * has their order.
 */
export async function pageOfDocuments(
  scope: ReadScope,
  request: DocumentPageRequest,
): Promise<CfdiDocument[]> {
  const { text, values } = compose(request);
  return (await scope.prepared(statementFor(text), values)).map(documentOf);
}

type Bind = (value: unknown, type: string) => string;

/** The query's text depends on which conditions there are, never on their values. */
function compose(request: DocumentPageRequest): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind: Bind = (value, type) => `$${values.push(value) + 1}::${type}`;
  const bounds = boundsOf(request, bind);
  const most = bind(request.limit, 'int');
  const isNamed = request.uuid !== null || request.orderId !== null;
  const page = isNamed ? namedOnes(request, bind, bounds) : walks(request, bind, bounds, most);
  // An RFC may be on both sides of one document, which two walks then find.
  const once = `select distinct on (${KEY.join(', ')}) d.* from (${page}) d ${NEWEST_FIRST} limit ${most}`;
  return { text: `select ${SHOWN} from (${once}) d ${NEWEST_FIRST}`, values };
}

function boundsOf({ from, to, after }: DocumentPageRequest, bind: Bind): string[] {
  const bounds = ['d.organization_id = $1'];
  if (from) bounds.push(`d.listed_at >= ${bind(from.toString(), 'timestamptz')}`);
  if (to) bounds.push(`d.listed_at <= ${bind(to.toString(), 'timestamptz')}`);
  if (!after) return bounds;
  const [micros, ...key] = after;
  const moment = bind(fromEpochMicros(micros).toString(), 'timestamptz');
  const last = [moment, ...key.map((part) => bind(part, 'text'))];
  return [...bounds, `(${KEY.join(', ')}) < (${last.join(', ')})`];
}

/**
 * A folio or an order identifies a few documents: they are found first, then filtered by the other
 * conditions.
 */
function namedOnes(
  { uuid, orderId, type, status, rfc }: DocumentPageRequest,
  bind: Bind,
  bounds: string[],
): string {
  const conditions = [...bounds];
  if (type !== null) conditions.push(`d.type = ${bind(type, 'text')}`);
  if (status !== null) conditions.push(`d.status = ${bind(status, 'text')}`);
  if (rfc !== null) conditions.push(`${bind(rfc, 'text')} in (d.issuer_rfc, d.receiver_rfc)`);
  const isUuid = uuid === null ? '' : `and i.uuid = ${bind(uuid, 'text')}`;
  // Separate, so that no plan prefers an index that only has the order.
  const named =
    orderId === null
      ? `select i.* from invoice_documents i where i.organization_id = $1 ${isUuid} offset 0`
      : `select i.* from (${documentsOf(bind(orderId, 'text'))}) o cross join lateral (
           select i.* from invoice_documents i
            where i.organization_id = $1 and i.marketplace = o.marketplace
              and i.account_id = o.account_id and i.id = o.document_id ${isUuid} offset 0) i`;
  return `select d.* from (${named}) d where ${conditions.join(' and ')}`;
}

/** As the marketplace reported it, or by the links of the CFDI that was read. */
function documentsOf(orderId: string): string {
  return `select o.marketplace, o.account_id, o.document_id from invoice_orders o
     where o.organization_id = $1 and o.order_id = ${orderId}
    union select i.marketplace, i.account_id, i.id from cfdi_orders l cross join lateral (
        select * from invoice_documents i where i.organization_id = $1 and i.uuid = l.uuid offset 0) i
     where l.organization_id = $1 and l.order_id = ${orderId} and l.state = 'linked'`;
}

/**
 * One walk for each type, status and side of an RFC, so that rare ones are found as soon as common
 * ones. The conditions that always hold name the index (migration 0010).
 */
function walks(
  { type, status, rfc }: DocumentPageRequest,
  bind: Bind,
  bounds: string[],
  most: string,
): string {
  const walk = (conditions: string[]) =>
    `select d.* from invoice_documents d where ${[...conditions, ...bounds].join(' and ')} ${NEWEST_FIRST} limit ${most}`;
  if (type === null && status === null && rfc === null) return walk([`d.listed_at > '-infinity'`]);
  const types = bind(type === null ? EVERY_TYPE : [type], 'text[]');
  const all = bind(status === null ? EVERY_STATUS : [status], 'text[]');
  const given = rfc === null ? null : bind(rfc, 'text');
  const sides =
    given === null ? [`d.type <> ''`] : [`d.issuer_rfc = ${given}`, `d.receiver_rfc = ${given}`];
  return sides
    .map((side) => walk([side, 'd.type = t.type', 'd.status = s.status']))
    .map(
      (each) =>
        `select w.* from unnest(${types}) as t (type), unnest(${all}) as s (status), lateral (${each}) w`,
    )
    .join(' union all ');
}

function documentOf(row: DocumentRow): CfdiDocument {
  return {
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    id: row.id,
    uuid: row.uuid,
    type: known(CFDI_TYPES, row.type),
    status: known(CFDI_STATUSES, row.status),
    issuerRfc: row.issuer_rfc,
    receiverRfc: row.receiver_rfc,
    total: row.total,
    currency: row.currency,
    issuedAt: row.issued_at,
    firstSeenAt: row.first_seen_at,
    listedAt: row.listed_at,
    fileName: row.file_name,
    xmlBytes: row.xml_bytes,
    readAt: row.read_at,
    readFailure: row.read_failure,
    orderIds: row.order_ids.slice(0, MOST_ORDERS),
    hasMoreOrders: row.order_ids.length > MOST_ORDERS,
  };
}

function known<Word extends string>(words: readonly Word[], word: string): Word | null {
  return words.find((one) => one === word) ?? null;
}
