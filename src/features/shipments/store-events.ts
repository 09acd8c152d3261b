import type { Carrier, SourceShipmentEvent, ToldEvent } from '../../carriers/contract.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { textArray } from '../../platform/db/text-array.ts';
import type { Instant } from '../../platform/time.ts';
import type { CarrierSource, ShipmentIdentity } from './shipment.ts';

type Account = Omit<CarrierSource, 'connectionId'>;

/** A pushed event with the receipt that is kept of it. */
interface ReceivedEvent extends SourceShipmentEvent {
  readonly receiptId: string;
  readonly payloadHash: string;
}

/** Whom a pushed event is about, and whether it was known. */
export interface RecordedRow {
  /** Null = its shipment is not known yet. */
  readonly shipment_id: string | null;
  readonly account_id: string | null;
  readonly is_new: boolean;
}

/**
 * Events, receipts, what both are joined to, and the mark that something follows are one statement: of equal ones the
 * first is new. In the order of the table's key, so that two batches that share events wait for one another in turn.
 */
const RECORD = statement<RecordedRow>(
  'shipments.record-events',
  `with given as (
     select * from unnest($4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::text[], $10::text[],
       $11::uuid[], $12::text[]) with ordinality
       as given (tracking_number, code, occurred_at, category, description, location, raw, receipt_id, payload_hash,
         place)),
   judged as (
     select given.*, found.account_id, found.id as shipment_id
       from given left join lateral (
         select account_id, id from shipments
          where organization_id = $1 and carrier = $2 and tracking_number = given.tracking_number
          order by recorded_at desc limit 1) found on true),
   fresh as (
     insert into shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, category,
       description, location, account_id, shipment_id, recorded_at, raw, receipt_id, is_settled)
     select $1, $2, tracking_number, code, occurred_at, 'webhook', category, description, location, account_id,
       shipment_id, $3::timestamptz, raw, receipt_id, shipment_id is null
       from judged order by tracking_number collate "C", code collate "C", occurred_at, place
     on conflict (organization_id, carrier, tracking_number, code, occurred_at) do nothing
     returning receipt_id),
   receipts as (
     insert into carrier_receipts (organization_id, id, carrier, received_at, tracking_number, code, occurred_at,
       linked, duplicate, payload_hash)
     select $1, receipt_id, $2, $3::timestamptz, tracking_number, code, occurred_at, shipment_id is not null,
       receipt_id not in (select receipt_id from fresh), payload_hash from judged)
   select shipment_id, account_id, receipt_id in (select receipt_id from fresh) as is_new
     from judged order by place`,
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

/** From one organisation to the next in the index: in a flood an organisation has very many rows there. */
const UNSETTLED = statement<{ organization_id: string }>(
  'shipments.unsettled',
  `with recursive waiting as (
     (select organization_id from shipment_events where not is_settled order by organization_id limit 1)
     union all
     select (select e.organization_id from shipment_events e
              where not e.is_settled and e.organization_id > w.organization_id order by e.organization_id limit 1)
       from waiting w where w.organization_id is not null)
   select organization_id from waiting where organization_id is not null`,
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

/** @returns a row for each event, in their order */
export function insertEvents(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly ReceivedEvent[],
): Promise<RecordedRow[]> {
  return scope.prepared(RECORD, [
    carrier,
    scope.clock.now().toString(),
    textArray(events.map((event) => event.trackingNumber)),
    textArray(events.map((event) => event.code)),
    events.map((event) => event.occurredAt.toString()),
    textArray(events.map((event) => event.category)),
    textArray(events.map((event) => event.description)),
    textArray(events.map((event) => event.location)),
    textArray(events.map((event) => event.raw)),
    events.map((event) => event.receiptId),
    textArray(events.map((event) => event.payloadHash)),
  ]);
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
