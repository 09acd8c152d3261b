import type { Carrier, SourceShipmentEvent, ToldEvent } from '../../carriers/contract.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { CarrierSource, ShipmentIdentity } from './shipment.ts';

type Account = Omit<CarrierSource, 'connectionId'>;

/** A pushed event with the receipt that is kept of it. */
interface ReceivedEvent extends SourceShipmentEvent {
  readonly receiptId: string;
  readonly payloadHash: string;
}

/** Whom a pushed event is about, and whether it was known. */
interface RecordedRow {
  /** Null = its shipment is not known yet. */
  readonly shipment_id: string | null;
  readonly account_id: string | null;
  readonly is_new: boolean;
}

/** Shipments of one row in the line of those to be settled: a push may be of very many. */
const MOST_OF_A_MARK = 100;

/**
 * Events, receipts, what both are joined to, and the mark that something follows are one statement:
 * of equal ones the first is new. In the order of the table's key, so that two batches that share
 * events wait for one another in turn.
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
       description, location, account_id, shipment_id, recorded_at, raw, receipt_id)
     select $1, $2, tracking_number, code, occurred_at, 'webhook', category, description, location, account_id,
       shipment_id, $3::timestamptz, raw, receipt_id
       from judged order by tracking_number collate "C", code collate "C", occurred_at, place
     on conflict (organization_id, carrier, tracking_number, code, occurred_at) do nothing
     returning receipt_id),
   receipts as (
     insert into carrier_receipts (organization_id, id, carrier, received_at, tracking_number, code, occurred_at,
       linked, duplicate, payload_hash)
     select $1, receipt_id, $2, $3::timestamptz, tracking_number, code, occurred_at, shipment_id is not null,
       receipt_id not in (select receipt_id from fresh), payload_hash from judged),
   to_settle as (
     insert into shipments_to_settle (organization_id, carrier, account_ids, shipment_ids)
     select $1, $2, array_agg(account_id), array_agg(shipment_id) from judged
      where shipment_id is not null and receipt_id in (select receipt_id from fresh)
      group by (place - 1) / ${MOST_OF_A_MARK} order by (place - 1) / ${MOST_OF_A_MARK})
   select shipment_id, account_id, receipt_id in (select receipt_id from fresh) as is_new
     from judged order by place`,
);

/** The oldest first, one at least; what another worker is taking is left to it. */
const TAKE_UNSETTLED = statement<{ carrier: string; account_id: string; id: string }>(
  'shipments.take-unsettled',
  `with waiting as (
     select seq, cardinality(shipment_ids) as own from shipments_to_settle
      where organization_id = $1 order by seq limit $2 for update skip locked),
   counted as (select seq, own, sum(own) over (order by seq) as so_far from waiting),
   taken as (
     delete from shipments_to_settle
      where organization_id = $1 and seq = any(array(
        select seq from counted where so_far <= $2 or so_far = own))
     returning carrier, account_ids, shipment_ids)
   select distinct carrier, account_id, id
     from taken cross join unnest(account_ids, shipment_ids) as named (account_id, id)
    order by carrier, account_id, id`,
);

const OLDEST_UNSETTLED = statement<{
  seq: string;
  carrier: string;
  account_ids: string[];
  shipment_ids: string[];
}>(
  'shipments.oldest-unsettled',
  `select seq::text, carrier, account_ids, shipment_ids from shipments_to_settle
    where organization_id = $1 order by seq limit 1`,
);

const REMOVE_UNSETTLED = statement<object>(
  'shipments.remove-unsettled',
  'delete from shipments_to_settle where organization_id = $1 and seq = $2::bigint',
);

const NEWEST_UNSETTLED = statement<{ seq: string | null }>(
  'shipments.newest-unsettled',
  'select max(seq) as seq from shipments_to_settle where organization_id = $1',
);

/**
 * From one organisation to the next in the index: in a flood an organisation has very many rows
 * there.
 */
const UNSETTLED = statement<{ organization_id: string }>(
  'shipments.unsettled',
  `with recursive waiting as (
     (select organization_id from shipments_to_settle order by organization_id limit 1)
     union all
     select (select s.organization_id from shipments_to_settle s
              where s.organization_id > w.organization_id order by s.organization_id limit 1)
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

/**
 * A row a parcel, since it may have many events: their codes, and when they happened and came in,
 * in microseconds.
 */
const TOLD = statement<{ tracking_number: string; told: string }>(
  'shipments.told-events',
  `select tracking_number, json_agg(json_build_array(code, round(date_part('epoch', occurred_at) * 1e6)::bigint,
          round(date_part('epoch', recorded_at) * 1e6)::bigint) order by seq)::text as told
     from shipment_events
    where organization_id = $1 and carrier = $2 and tracking_number = any($3::text[])
    group by tracking_number`,
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

/**
 * Those of which something was heard lately, and those still open that were documented on the same
 * days.
 */
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

/** For audits. */
const KEEP_RECEIPTS_DAYS = 365;
/** A carrier tells nothing of a parcel that is older, so nothing will be known of theirs. */
const KEEP_ORPHANS_DAYS = 90;

export const RETENTIONS = [
  retention(
    'carrier_receipts',
    KEEP_RECEIPTS_DAYS,
    removeBefore('shipments.remove-receipts', 'carrier_receipts', 'received_at'),
  ),
  retention(
    'shipment_events',
    KEEP_ORPHANS_DAYS,
    removeBefore(
      'shipments.remove-orphans',
      'shipment_events',
      'recorded_at',
      'shipment_id is null',
    ),
  ),
];

/** @returns a row for each event, in their order */
export function insertEvents(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly ReceivedEvent[],
): Promise<RecordedRow[]> {
  return scope.prepared(RECORD, [
    carrier,
    scope.clock.now().toString(),
    events.map((event) => event.trackingNumber),
    events.map((event) => event.code),
    events.map((event) => event.occurredAt.toString()),
    events.map((event) => event.category),
    events.map((event) => event.description),
    events.map((event) => event.location),
    events.map((event) => event.raw),
    events.map((event) => event.receiptId),
    events.map((event) => event.payloadHash),
  ]);
}

/**
 * Shipments of which something was pushed and nothing has followed yet; they are taken out of the
 * line.
 */
export async function takeUnsettled(scope: WriteScope, limit: number): Promise<ShipmentIdentity[]> {
  const rows = await scope.prepared(TAKE_UNSETTLED, [limit]);
  return rows.map((row) => ({
    carrier: row.carrier as Carrier,
    accountId: row.account_id,
    id: row.id,
  }));
}

/** Shipments that were marked together, before all others; null where nobody waits. */
export async function oldestUnsettled(
  scope: ReadScope,
): Promise<{ seq: string; shipments: ShipmentIdentity[] } | null> {
  const [row] = await scope.prepared(OLDEST_UNSETTLED, []);
  if (!row) return null;
  const { seq, carrier, account_ids, shipment_ids } = row;
  const shipments = shipment_ids.map((id, at) => ({
    carrier: carrier as Carrier,
    accountId: account_ids[at] as string,
    id,
  }));
  return { seq, shipments };
}

export async function removeUnsettled(scope: WriteScope, seq: string): Promise<void> {
  await scope.prepared(REMOVE_UNSETTLED, [seq]);
}

/** What came last into the line of those to be settled; null where nobody waits. */
export async function newestUnsettled(scope: ReadScope): Promise<string | null> {
  const [row] = await scope.prepared(NEWEST_UNSETTLED, []);
  return row?.seq ?? null;
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

export async function linkOf(
  scope: WriteScope,
  source: Account,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(LINK_OF, [source.carrier, source.accountId, ids]);
}

/** In order of arrival, by tracking number. */
export async function toldOf(
  scope: ReadScope,
  carrier: Carrier,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, ToldEvent[]>> {
  const rows = await scope.prepared(TOLD, [carrier, trackingNumbers]);
  return new Map(rows.map(({ tracking_number: number, told }) => [number, readTold(told)]));
}

function readTold(told: string): ToldEvent[] {
  return (JSON.parse(told) as [string, number, number][]).map(([code, occurredAt, seenAt]) => ({
    code,
    occurredAt: fromEpochMicros(occurredAt),
    seenAt: fromEpochMicros(seenAt),
  }));
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
