import type { Carrier, SourceShipmentEvent, ToldEvent } from '../../carriers/contract.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { CarrierSource, ShipmentIdentity } from './shipment.ts';

type Account = Omit<CarrierSource, 'connectionId'>;

/** Whom a pushed event is about, and whether it was known. */
export interface RecordedRow {
  /** Null = its shipment is not known yet. */
  readonly shipment_id: string | null;
  readonly account_id: string | null;
  readonly is_new: boolean;
}

/**
 * Event, receipt, what both are joined to, and the mark that something follows are one statement: of equal ones the
 * first is new. Nothing here waits for another event of the same parcel.
 */
const RECORD = statement<RecordedRow>(
  'shipments.record-event',
  `with found as (
     select account_id, id from shipments
      where organization_id = $1 and carrier = $2 and tracking_number = $3 order by recorded_at desc limit 1),
   fresh as (
     insert into shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, category,
       description, location, account_id, shipment_id, recorded_at, raw, receipt_id, is_settled)
     select $1, $2, $3, $4, $5::timestamptz, 'webhook', $6, $7, $8, (select account_id from found),
       (select id from found), $9::timestamptz, $10, $11::uuid,
       not exists (select from found)
     on conflict (organization_id, carrier, tracking_number, code, occurred_at) do nothing
     returning 1),
   receipt as (
     insert into carrier_receipts (organization_id, id, carrier, received_at, tracking_number, code, occurred_at,
       linked, duplicate, payload_hash)
     select $1, $11::uuid, $2, $9::timestamptz, $3, $4, $5::timestamptz, exists (select from found),
       not exists (select from fresh), $12)
   select (select id from found) as shipment_id, (select account_id from found) as account_id,
          exists (select from fresh) as is_new`,
);

/** By their places, which the lock holds still: a join would read the whole table. */
const TAKE_UNSETTLED = statement<{ carrier: string; account_id: string; id: string }>(
  'shipments.take-unsettled',
  `with taken as (
     update shipment_events set is_settled = true
      where organization_id = $1 and ctid = any(array(
        select ctid from shipment_events
         where organization_id = $1 and not is_settled limit $2 for update skip locked))
     returning carrier, account_id, shipment_id as id)
   select distinct carrier, account_id, id from taken order by carrier, account_id, id`,
);

const UNSETTLED = statement<{ organization_id: string }>(
  'shipments.unsettled',
  'select distinct organization_id from shipment_events where not is_settled',
);

const LINK_ALL = statement<{ account_id: string; id: string }>(
  'shipments.link-orphans',
  `with linked as (
     update shipment_events e set account_id = s.account_id, shipment_id = s.id
       from shipments s
      where e.organization_id = $1 and e.carrier = $2 and e.shipment_id is null
        and s.organization_id = e.organization_id and s.carrier = e.carrier
        and s.tracking_number = e.tracking_number
     returning s.account_id, s.id)
   select distinct account_id, id from linked order by account_id, id`,
);

const LINK_OF = statement<object>(
  'shipments.link-orphans-of',
  `update shipment_events e set account_id = s.account_id, shipment_id = s.id
     from shipments s
    where e.organization_id = $1 and e.carrier = $2 and e.shipment_id is null and s.organization_id = $1
      and s.carrier = $2 and s.account_id = $3 and s.id = any($4::text[])
      and e.tracking_number = s.tracking_number`,
);

interface ToldRow {
  readonly tracking_number: string;
  readonly code: string;
  readonly occurred_at: Instant;
  readonly recorded_at: Instant;
}

const TOLD = statement<ToldRow>(
  'shipments.told-events',
  `select tracking_number, code, occurred_at, recorded_at from shipment_events
    where organization_id = $1 and carrier = $2 and tracking_number = any($3::text[]) order by seq`,
);

const QUIET = statement<{ id: string }>(
  'shipments.quiet',
  `select s.id from shipments s
    where s.organization_id = $1 and s.connection_id = $2 and not s.is_final and s.id > $3
      and not exists (
        select from shipment_events e
         where e.organization_id = $1 and e.carrier = s.carrier and e.tracking_number = s.tracking_number
           and e.source = 'webhook' and e.recorded_at > $4::timestamptz)
    order by s.id limit $5`,
);

/** Those of which something was heard lately, and those still open that were documented on the same days. */
const OF_CHANGED_DAYS = statement<{ id: string }>(
  'shipments.of-changed-days',
  `with changed as materialized (
     select distinct s.id, (s.created_at at time zone 'America/Mexico_City')::date as day
       from shipment_events e
       join shipments s on s.organization_id = e.organization_id and s.carrier = e.carrier
        and s.account_id = e.account_id and s.id = e.shipment_id
      where e.organization_id = $1 and e.carrier = $3 and e.recorded_at > $4::timestamptz
        and s.connection_id = $2)
   select id from changed
    union
   select id from shipments
    where organization_id = $1 and connection_id = $2 and not is_final
      and (created_at at time zone 'America/Mexico_City')::date in (select day from changed)
    order by 1`,
);

const FORGET_RECEIPTS = statement<object>(
  'shipments.forget-receipts',
  'delete from carrier_receipts where received_at < $1',
);

export async function insertEvent(
  scope: WriteScope,
  carrier: Carrier,
  event: SourceShipmentEvent,
  receipt: { readonly id: string; readonly payloadHash: string },
): Promise<RecordedRow> {
  const [row] = await scope.prepared(RECORD, [
    carrier,
    event.trackingNumber,
    event.code,
    event.occurredAt.toString(),
    event.category,
    event.description,
    event.location,
    scope.clock.now().toString(),
    event.raw,
    receipt.id,
    receipt.payloadHash,
  ]);
  return row as RecordedRow;
}

/** The shipments of some events of which nothing has followed yet; these are taken out of the line. */
export async function takeUnsettled(scope: WriteScope, limit: number): Promise<ShipmentIdentity[]> {
  const rows = await scope.prepared(TAKE_UNSETTLED, [limit]);
  return rows.map((row) => ({ carrier: row.carrier as Carrier, accountId: row.account_id, id: row.id }));
}

/** Organisations for which something was pushed that is still to be settled. */
export async function unsettledOrganizations(handle: Handle): Promise<string[]> {
  return (await handle.raw(UNSETTLED, [])).map((row) => row.organization_id);
}

/** @returns the shipments that got events */
export async function linkAll(scope: WriteScope, carrier: Carrier): Promise<ShipmentIdentity[]> {
  const rows = await scope.prepared(LINK_ALL, [carrier]);
  return rows.map(({ account_id: accountId, id }) => ({ carrier, accountId, id }));
}

export async function linkOf(scope: WriteScope, source: Account, ids: readonly string[]): Promise<void> {
  await scope.prepared(LINK_OF, [source.carrier, source.accountId, ids]);
}

/** In order of arrival, by tracking number. */
export async function toldOf(
  scope: ReadScope,
  carrier: Carrier,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, ToldEvent[]>> {
  const rows = await scope.prepared(TOLD, [carrier, trackingNumbers]);
  const told = rows.map((row) => ({
    trackingNumber: row.tracking_number,
    code: row.code,
    occurredAt: row.occurred_at,
    seenAt: row.recorded_at,
  }));
  return Map.groupBy(told, ({ trackingNumber }) => trackingNumber);
}

/** Open shipments of which no push told anything since then, in order of id. */
export async function quietShipments(
  scope: ReadScope,
  connectionId: string,
  since: Instant,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await scope.prepared(QUIET, [connectionId, after ?? '', since.toString(), limit]);
  return rows.map(({ id }) => id);
}

export async function shipmentsOfChangedDays(
  scope: ReadScope,
  connectionId: string,
  carrier: Carrier,
  since: Instant,
): Promise<string[]> {
  const rows = await scope.prepared(OF_CHANGED_DAYS, [connectionId, carrier, since.toString()]);
  return rows.map(({ id }) => id);
}

export async function forgetCarrierReceipts(handle: WriteHandle, before: Instant): Promise<void> {
  await handle.raw(FORGET_RECEIPTS, [before.toString()]);
}
