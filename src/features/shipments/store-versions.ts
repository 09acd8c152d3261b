import type { ShipmentCategory, SourceShipment } from '../../carriers/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import { sealFor } from '../../platform/db/sealed-column.ts';
import type { Instant } from '../../platform/time.ts';
import type { CarrierAccount, CarrierSource, Shipment } from './shipment.ts';
import { SHIPMENT_DOCUMENT } from './store-documents.ts';
import { replaced } from './store-recipients.ts';
import { CONTENT_COLUMNS, SHOWN, type ShipmentRow, shipmentOf } from './store-rows.ts';

/** The columns of a stored shipment that recording needs. */
export interface StoredShipment {
  readonly id: string;
  readonly category: ShipmentCategory;
  readonly fingerprint: string;
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
}

type VersionRow = Pick<
  Rows['shipments'],
  'id' | 'category' | 'fingerprint' | 'changed_at' | 'fetched_at'
>;

const SELECT_VERSIONS = `select id, category, fingerprint, changed_at, fetched_at from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])`;
const VERSIONS = statement<VersionRow>('shipments.versions', SELECT_VERSIONS);
const LOCK_VERSIONS = statement<VersionRow>(
  'shipments.lock-versions',
  `${SELECT_VERSIONS} order by id for update`,
);

/** `lock`: no other transaction writes these rows until this one ends. */
export async function versions(
  scope: ReadScope,
  { carrier, accountId }: CarrierAccount,
  ids: readonly string[],
  { lock }: { lock: boolean },
): Promise<StoredShipment[]> {
  const rows = await scope.prepared(lock ? LOCK_VERSIONS : VERSIONS, [carrier, accountId, ids]);
  return rows.map((row) => ({
    id: row.id,
    category: row.category as ShipmentCategory,
    fingerprint: row.fingerprint,
    changedAt: row.changed_at,
    fetchedAt: row.fetched_at,
  }));
}

/** The columns that a version replaces; the linked order is found separately. */
const CONTENT = bulk('shipments', [
  ...CONTENT_COLUMNS,
  'changed_at',
  'fetched_at',
  'fingerprint',
  'raw',
  'raw_box',
]);

const UPSERT = CONTENT.statement(
  'shipments.upsert',
  (
    given,
  ) => `insert into shipments (organization_id, carrier, account_id, connection_id, recorded_at,
       updated_at, ${CONTENT.names})
   select $1, $2::text, $3::text, $4::uuid, $5::timestamptz, $5::timestamptz, given.* from ${given}
   on conflict (organization_id, carrier, account_id, id) do update
     set connection_id = excluded.connection_id, updated_at = excluded.updated_at,
         ${CONTENT.columns.map((name) => replaced('shipments', name, ['raw_box'])).join(', ')}`,
);

interface Version {
  readonly source: SourceShipment;
  readonly category: ShipmentCategory;
  readonly fingerprint: string;
}

export async function upsert(
  scope: WriteScope,
  { carrier, accountId, connectionId }: CarrierSource,
  changed: readonly Version[],
): Promise<void> {
  const place = [carrier, accountId, connectionId, scope.clock.now().toString()];
  const vault = await scope.vault();
  const rows = changed.map(async (version) => {
    const { id, raw } = version.source;
    return contentOf(
      version,
      await sealFor(vault, SHIPMENT_DOCUMENT, [carrier, accountId, id], raw),
    );
  });
  await scope.prepared(UPSERT, UPSERT.values(place, await Promise.all(rows)));
}

function contentOf(
  { source, category, fingerprint }: Version,
  box: Buffer,
): GivenBy<typeof CONTENT> {
  return {
    id: source.id,
    tracking_number: source.trackingNumber,
    guide_number: source.guideNumber,
    category,
    carrier_status: source.carrierStatus,
    is_final: source.isFinal,
    is_damaged: source.isDamaged,
    is_return: source.isReturn,
    parent_id: source.parentId,
    final_carrier: source.finalCarrier,
    service_type: source.serviceType,
    cost: source.cost,
    currency: source.currency,
    declared_value: source.declaredValue,
    created_at: source.createdAt,
    picked_up_at: source.pickedUpAt,
    delivered_at: source.deliveredAt,
    estimated_delivery: source.estimatedDelivery,
    origin: source.origin && JSON.stringify(source.origin),
    destination: source.destination && JSON.stringify(source.destination),
    packages: JSON.stringify(source.packages),
    order_reference: source.orderReference,
    relations: JSON.stringify(source.relations),
    changed_at: source.changedAt,
    fetched_at: source.fetchedAt,
    fingerprint,
    raw: null,
    raw_box: box,
  };
}

const BY_IDS = statement<ShipmentRow>(
  'shipments.by-ids',
  `select ${SHOWN} from shipments s
    where s.organization_id = $1 and s.carrier = $2 and s.account_id = $3 and s.id = any($4::text[]) order by s.id`,
);

export async function byIds(
  scope: ReadScope,
  { carrier, accountId }: CarrierAccount,
  ids: readonly string[],
): Promise<Shipment[]> {
  return (await scope.prepared(BY_IDS, [carrier, accountId, ids])).map(shipmentOf);
}

const LOCK = statement<object>(
  'shipments.lock',
  `select from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])
    order by id for update`,
);

export async function lockShipments(
  scope: WriteScope,
  { carrier, accountId }: CarrierAccount,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(LOCK, [carrier, accountId, ids]);
}

const OPEN = statement<{ id: string }>(
  'shipments.open',
  `select id from shipments where organization_id = $1 and connection_id = $2 and not is_final and id > $3
    order by id limit $4`,
);

/** Those of a connection that may still change, in order of id. */
export async function openShipments(
  scope: ReadScope,
  connectionId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return (await scope.prepared(OPEN, [connectionId, after ?? '', limit])).map(({ id }) => id);
}

const STATES = statement<Pick<Rows['shipments'], 'id' | 'carrier_status'>>(
  'shipments.states',
  `select id, carrier_status from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])`,
);

/** The carrier's status by id, for ids that exist. */
export async function statesOf(
  scope: ReadScope,
  { carrier, accountId }: CarrierAccount,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await scope.prepared(STATES, [carrier, accountId, ids]);
  return new Map(rows.map((row) => [row.id, row.carrier_status]));
}
