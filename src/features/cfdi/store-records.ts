import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement, statementsOf } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import { CFDI_DIRECTIONS, CFDI_TYPES, SAT_STATUSES } from './kinds.ts';
import { IS_REPLACED } from './store-links.ts';
import { type Bind, isOrder, type NamedOrder } from './store-order.ts';
import { type CfdiSummary, MOST_LISTED_ORDERS } from './summary.ts';

/** Microseconds of the time of issue, and the folio. */
export type CfdiPosition = readonly [number, string];

/** All conditions hold together; null = no condition. */
interface CfdiPageRequest {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly type: string | null;
  readonly direction: string | null;
  readonly status: string | null;
  readonly uuid: string | null;
  readonly order: NamedOrder | null;
  readonly rfc: string | null;
  readonly after: CfdiPosition | null;
  readonly limit: number;
}

type Column =
  | 'uuid'
  | 'type'
  | 'direction'
  | 'status'
  | 'issuer_rfc'
  | 'receiver_rfc'
  | 'currency'
  | 'total'
  | 'issued_at'
  | 'source'
  | 'recorded_at';
interface SummaryRow extends Pick<Rows['cfdis'], Column> {
  readonly is_replaced: boolean;
  readonly orders: [marketplace: string, accountId: string, id: string][];
}

const NEWEST_FIRST = 'order by c.issued_at desc, c.uuid desc';
const SHOWN = `c.uuid, c.type, c.direction, c.status, c.issuer_rfc, c.receiver_rfc, c.currency, c.total, c.issued_at,
  c.source, c.recorded_at, ${IS_REPLACED('c')} as is_replaced, array(
    select json_build_array(l.marketplace, l.account_id, l.order_id) from cfdi_orders l
     where l.organization_id = $1 and l.uuid = c.uuid and l.state = 'linked'
     order by l.marketplace, l.account_id, l.order_id limit ${MOST_LISTED_ORDERS + 1}) as orders`;

const statementFor = statementsOf<SummaryRow>('cfdis.list');

/** Each combination of conditions is a statement of its own, with an index that has its order. */
export async function pageOfCfdis(
  scope: ReadScope,
  request: CfdiPageRequest,
): Promise<CfdiSummary[]> {
  const { text, values } = compose(request);
  return (await scope.prepared(statementFor(text), values)).map(summaryOf);
}

const SOME = statement<SummaryRow>(
  'cfdis.some',
  `select ${SHOWN} from cfdis c
    where c.organization_id = $1 and c.uuid = any($2::text[]) ${NEWEST_FIRST}`,
);

/** The documents with these folios, the newest first. */
export async function summariesOf(
  scope: ReadScope,
  uuids: readonly string[],
): Promise<CfdiSummary[]> {
  return (await scope.prepared(SOME, [uuids])).map(summaryOf);
}

/** The query's text depends on which conditions there are, never on their values. */
function compose(request: CfdiPageRequest): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind: Bind = (value, type) => `$${values.push(value) + 1}::${type}`;
  const bounds = boundsOf(request, bind);
  const most = bind(request.limit, 'int');
  const isNamed = request.uuid !== null || request.order !== null;
  const page = isNamed ? namedOnes(request, bind, bounds) : walks(request, bind, bounds, most);
  // An RFC may be on both sides of one document, which two walks then find.
  const once = `select distinct on (c.issued_at, c.uuid) c.* from (${page}) c ${NEWEST_FIRST} limit ${most}`;
  return { text: `select ${SHOWN} from (${once}) c ${NEWEST_FIRST}`, values };
}

function boundsOf({ from, to, after }: CfdiPageRequest, bind: Bind): string[] {
  const bounds = ['c.organization_id = $1'];
  if (from) bounds.push(`c.issued_at >= ${bind(from.toString(), 'timestamptz')}`);
  if (to) bounds.push(`c.issued_at <= ${bind(to.toString(), 'timestamptz')}`);
  if (!after) return bounds;
  const [micros, uuid] = after;
  const moment = bind(fromEpochMicros(micros).toString(), 'timestamptz');
  return [...bounds, `(c.issued_at, c.uuid) < (${moment}, ${bind(uuid, 'text')})`];
}

/** A folio or an order identifies a few documents, which the other conditions filter. */
function namedOnes(request: CfdiPageRequest, bind: Bind, bounds: string[]): string {
  const { uuid, order, type, direction, status, rfc } = request;
  const conditions = [...bounds];
  if (type !== null) conditions.push(`c.type = ${bind(type, 'text')}`);
  if (direction !== null) conditions.push(`c.direction = ${bind(direction, 'text')}`);
  if (status !== null) conditions.push(`c.status = ${bind(status, 'text')}`);
  if (rfc !== null) conditions.push(`${bind(rfc, 'text')} in (c.issuer_rfc, c.receiver_rfc)`);
  const isUuid = uuid === null ? '' : `and i.uuid = ${bind(uuid, 'text')}`;
  const isLinked =
    order === null
      ? ''
      : `and i.uuid = any(array(select l.uuid from cfdi_orders l
          where l.organization_id = $1 and ${isOrder('l', order, bind)} and l.state = 'linked'))`;
  const named = `select i.* from cfdis i
                  where i.organization_id = $1 ${isUuid} ${isLinked} offset 0`;
  return `select c.* from (${named}) c where ${conditions.join(' and ')}`;
}

/**
 * One walk for each direction, type, status and side of an RFC, so that rare ones are found as soon
 * as common ones.
 */
function walks(request: CfdiPageRequest, bind: Bind, bounds: string[], most: string): string {
  const { type, direction, status, rfc } = request;
  const walk = (conditions: string[]) =>
    `select c.* from cfdis c where ${[...conditions, ...bounds].join(' and ')} ${NEWEST_FIRST} limit ${most}`;
  if (type === null && direction === null && status === null && rfc === null)
    return walk([`c.issued_at > '-infinity'`]);
  const words = (given: string | null, all: readonly string[]) =>
    bind(given === null ? all : [given], 'text[]');
  const directions = words(direction, CFDI_DIRECTIONS);
  const types = words(type, CFDI_TYPES);
  const all = words(status, SAT_STATUSES);
  const given = rfc === null ? null : bind(rfc, 'text');
  const sides =
    given === null ? [`c.type <> ''`] : [`c.issuer_rfc = ${given}`, `c.receiver_rfc = ${given}`];
  return sides
    .map((side) => walk([side, 'c.direction = d.word', 'c.type = t.word', 'c.status = s.word']))
    .map(
      (each) =>
        `select w.* from unnest(${directions}) as d (word), unnest(${types}) as t (word), unnest(${all}) as s (word), lateral (${each}) w`,
    )
    .join(' union all ');
}

function summaryOf(row: SummaryRow): CfdiSummary {
  const orders = row.orders.map(([marketplace, accountId, id]) => ({
    marketplace: marketplace as Marketplace,
    accountId,
    id,
  }));
  return {
    uuid: row.uuid,
    type: row.type,
    direction: row.direction,
    status: row.status,
    issuedAt: row.issued_at,
    total: row.total as CfdiSummary['total'],
    currency: row.currency as string,
    issuerRfc: row.issuer_rfc,
    receiverRfc: row.receiver_rfc,
    source: row.source as CfdiSummary['source'],
    recordedAt: row.recorded_at,
    isReplaced: row.is_replaced,
    orders: orders.slice(0, MOST_LISTED_ORDERS),
    hasMoreOrders: orders.length > MOST_LISTED_ORDERS,
  };
}
