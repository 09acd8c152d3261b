import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement, statementsOf } from '../../platform/db/query.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { CfdiDocument } from './document.ts';
import { type Bind, isOrder, type NamedOrder } from './store-order.ts';
import { MOST_LISTED_ORDERS } from './summary.ts';

/** Microseconds of the position in the list, and the key. */
export type DocumentPosition = readonly [number, string, string, string];

/** All conditions hold together; null = no condition. */
interface UnreadPageRequest {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly uuid: string | null;
  readonly order: NamedOrder | null;
  readonly after: DocumentPosition | null;
  readonly limit: number;
}

interface FileRow {
  readonly uuid: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly file_name: string | null;
  readonly xml_bytes: number | null;
  readonly first_seen_at: Instant;
}

interface UnreadRow extends Omit<FileRow, 'uuid'> {
  readonly uuid: string | null;
  readonly issued_at: Instant | null;
  readonly listed_at: Instant;
  readonly read_failure: string | null;
  readonly order_ids: string[];
}

const BYTES = 'coalesce(octet_length(d.xml), d.xml_bytes) as xml_bytes';
const KEY = ['d.listed_at', 'd.marketplace', 'd.account_id', 'd.id'];
const NEWEST_FIRST = `order by ${KEY.map((column) => `${column} desc`).join(', ')}`;
const SHOWN = `d.marketplace, d.account_id, d.id, d.uuid, d.issued_at, d.first_seen_at, d.listed_at,
  d.file_name, ${BYTES}, d.read_failure, array(
    select o.order_id from invoice_orders o
     where o.organization_id = $1 and o.marketplace = d.marketplace
       and o.account_id = d.account_id and o.document_id = d.id
     order by o.order_id limit ${MOST_LISTED_ORDERS + 1}) as order_ids`;
/**
 * One whose CFDI was read from another file is listed with that. Looked up row by row: as a join,
 * it may read all CFDI.
 */
const IS_UNREAD = `(d.read_at is null or d.read_failure is not null)
  and (select c.uuid from cfdis c where c.organization_id = $1 and c.uuid = d.uuid) is null`;

const OF_FOLIOS = statement<FileRow>(
  'cfdi.documents-of-folios',
  `select distinct on (d.uuid) d.uuid, d.marketplace, d.account_id, d.id, d.file_name, ${BYTES},
       d.first_seen_at
     from invoice_documents d
    where d.organization_id = $1 and d.uuid = any($2::text[])
    order by d.uuid, d.marketplace, d.account_id, d.id`,
);

const statementFor = statementsOf<UnreadRow>('cfdi.unread-page');

/** The marketplaces' documents of these folios, the first one of each. */
export async function invoiceDocumentsOf(
  scope: ReadScope,
  uuids: readonly string[],
): Promise<Map<string, FileRow>> {
  const rows = await scope.prepared(OF_FOLIOS, [uuids]);
  return new Map(rows.map((row) => [row.uuid, row]));
}

/** Documents of marketplaces that were not read, or could not be, the newest first. */
export async function pageOfUnread(
  scope: ReadScope,
  request: UnreadPageRequest,
): Promise<CfdiDocument[]> {
  const { text, values } = compose(request);
  return (await scope.prepared(statementFor(text), values)).map(documentOf);
}

/** The query's text depends on which conditions there are, never on their values. */
function compose(request: UnreadPageRequest): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind: Bind = (value, type) => `$${values.push(value) + 1}::${type}`;
  const conditions = [IS_UNREAD, ...boundsOf(request, bind)];
  const text = `select ${SHOWN} from ${foundBy(request, bind)} d
    where ${conditions.join(' and ')} ${NEWEST_FIRST} limit ${bind(request.limit, 'int')}`;
  return { text, values };
}

function boundsOf({ from, to, after }: UnreadPageRequest, bind: Bind): string[] {
  const bounds = ['d.organization_id = $1'];
  if (from) bounds.push(`d.listed_at >= ${bind(from.toString(), 'timestamptz')}`);
  if (to) bounds.push(`d.listed_at <= ${bind(to.toString(), 'timestamptz')}`);
  if (!after) return bounds;
  const [micros, ...key] = after;
  const moment = bind(fromEpochMicros(micros).toString(), 'timestamptz');
  const last = [moment, ...key.map((part) => bind(part, 'text'))];
  return [...bounds, `(${KEY.join(', ')}) < (${last.join(', ')})`];
}

/** A folio or an order identifies a few documents: they are found first, then filtered. */
function foundBy({ uuid, order }: UnreadPageRequest, bind: Bind): string {
  if (uuid === null && order === null) return 'invoice_documents';
  const isUuid = uuid === null ? '' : `and i.uuid = ${bind(uuid, 'text')}`;
  if (order === null)
    return `(select i.* from invoice_documents i where i.organization_id = $1 ${isUuid} offset 0)`;
  // Separate, so that no plan prefers an index that only has the order.
  return `(select i.* from (
      select o.marketplace, o.account_id, o.document_id from invoice_orders o
       where o.organization_id = $1 and ${isOrder('o', order, bind)}) o
    cross join lateral (select i.* from invoice_documents i
       where i.organization_id = $1 and i.marketplace = o.marketplace
         and i.account_id = o.account_id and i.id = o.document_id ${isUuid} offset 0) i)`;
}

function documentOf(row: UnreadRow): CfdiDocument {
  return {
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    id: row.id,
    uuid: row.uuid,
    type: null,
    direction: null,
    status: null,
    issuerRfc: null,
    receiverRfc: null,
    total: null,
    currency: null,
    withheld: null,
    isRead: false,
    issuedAt: row.issued_at,
    firstSeenAt: row.first_seen_at,
    listedAt: row.listed_at,
    fileName: row.file_name,
    xmlBytes: row.xml_bytes,
    readFailure: row.read_failure,
    orderIds: row.order_ids.slice(0, MOST_LISTED_ORDERS),
    hasMoreOrders: row.order_ids.length > MOST_LISTED_ORDERS,
  };
}
