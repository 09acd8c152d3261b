import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { Shipment, ShipmentIdentity } from './shipment.ts';
import { SHOWN, type ShipmentRow, shipmentOf } from './store-rows.ts';

/** Microseconds of the creation, and the key. */
export type ShipmentPosition = readonly [number, string, string, string];

/** Shipments are linked to it, or were made by one of its guides, which a pack shares. */
export interface NamedOrder {
  readonly id: string;
  /** The references of its guides. */
  readonly guides: readonly string[];
}

interface ShipmentPageRequest {
  readonly carriers: readonly string[];
  readonly categories: readonly string[];
  /** Neither carrier nor category is filtered. */
  readonly isWhole: boolean;
  readonly trackingNumber: string | null;
  readonly order: NamedOrder | null;
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly after: ShipmentPosition | null;
  readonly limit: number;
}

/** `$2` from, `$3` to, `$4` to `$7` the last one that was handed out, `$8` how many. */
const BOUNDS = `s.created_at >= coalesce($2::timestamptz, '-infinity')
      and s.created_at <= least(coalesce($3::timestamptz, 'infinity'),
                                coalesce($4::timestamptz, 'infinity'))
      and ($4::timestamptz is null
           or (s.created_at, s.carrier, s.account_id, s.id) < ($4, $5::text, $6::text, $7::text))`;
const NEWEST_FIRST =
  'order by s.created_at desc, s.carrier desc, s.account_id desc, s.id desc limit $8';
const FILTERS = 's.carrier = any($9::text[]) and s.category = any($10::text[])';

const PAGE = statement<ShipmentRow>(
  'shipments.page',
  `select ${SHOWN} from shipments s where s.organization_id = $1 and ${BOUNDS} ${NEWEST_FIRST}`,
);

/** One walk for each carrier and category, so that rare ones are found as soon as common ones. */
const PAGE_BY_CATEGORY = statement<ShipmentRow>(
  'shipments.page-by-category',
  `select ${SHOWN}
     from unnest($9::text[]) as c (carrier), unnest($10::text[]) as k (category),
          lateral (select * from shipments s
                    where s.organization_id = $1 and s.carrier = c.carrier
                      and s.category = k.category and ${BOUNDS}
                    order by s.created_at desc, s.account_id desc, s.id desc limit $8) s
    ${NEWEST_FIRST}`,
);

/**
 * One query for each carrier, so that the whole key is used, regardless of the planner's
 * statistics.
 */
const PAGE_BY_TRACKING = statement<ShipmentRow>(
  'shipments.page-by-tracking',
  `select ${SHOWN} from unnest($9::text[]) as asked (carrier), lateral (
       select * from shipments
        where organization_id = $1 and carrier = asked.carrier and tracking_number = $11
       union
       select * from shipments
        where organization_id = $1 and carrier = asked.carrier and guide_number = $11) s
    where ${FILTERS} and ${BOUNDS}
      and ($12::text is null or s.order_id = $12 or s.order_reference = any($13::text[]))
    ${NEWEST_FIRST}`,
);

const PAGE_BY_ORDER = statement<ShipmentRow>(
  'shipments.page-by-order',
  `select ${SHOWN} from (
       select * from shipments where organization_id = $1 and order_id = $11
       union
       select made.* from (select distinct value from unnest($12::text[]) as value) as given
        cross join lateral (
          select * from shipment_relations
           where organization_id = $1 and value = given.value offset 0) as r
        cross join lateral (
          select * from shipments
           where organization_id = $1 and carrier = r.carrier and account_id = r.account_id
             and id between r.shipment_id and r.shipment_id order by id limit 1) as made
        where made.order_reference = given.value) s
    where ${FILTERS} and ${BOUNDS} ${NEWEST_FIRST}`,
);

const ONE = statement<ShipmentRow>(
  'shipments.one',
  `select ${SHOWN} from shipments s
    where s.organization_id = $1 and s.carrier = $2 and s.account_id = $3 and s.id = $4`,
);

/** Null = there is none. */
export async function shipmentByKey(
  scope: ReadScope,
  { carrier, accountId, id }: ShipmentIdentity,
): Promise<Shipment | null> {
  const [row] = await scope.prepared(ONE, [carrier, accountId, id]);
  return row ? shipmentOf(row) : null;
}

export async function pageOfShipments(
  scope: ReadScope,
  { trackingNumber, order, isWhole, ...request }: ShipmentPageRequest,
): Promise<Shipment[]> {
  const bounds = boundsOf(request);
  const filters = [request.carriers, request.categories];
  const rows =
    trackingNumber !== null
      ? await scope.prepared(PAGE_BY_TRACKING, [
          ...bounds,
          ...filters,
          trackingNumber,
          ...(order === null ? [null, []] : [order.id, order.guides]),
        ])
      : order !== null
        ? await scope.prepared(PAGE_BY_ORDER, [...bounds, ...filters, order.id, order.guides])
        : isWhole
          ? await scope.prepared(PAGE, bounds)
          : await scope.prepared(PAGE_BY_CATEGORY, [...bounds, ...filters]);
  return rows.map(shipmentOf);
}

function boundsOf({
  from,
  to,
  after,
  limit,
}: Pick<ShipmentPageRequest, 'from' | 'to' | 'after' | 'limit'>): unknown[] {
  const [micros, ...key] = after ?? [null, null, null, null];
  return [
    from?.toString() ?? null,
    to?.toString() ?? null,
    micros === null ? null : fromEpochMicros(micros).toString(),
    ...key,
    limit,
  ];
}
