import type { Carrier, ReportedEvent, SourceShipmentEvent } from '../../carriers/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import { fromEpochMicros } from '../../platform/time.ts';
import type { CarrierAccount, ShipmentIdentity } from './shipment.ts';
import { identityOf, type KeyRow } from './store-keys.ts';

/** For audits. */
const KEEP_RECEIPTS_DAYS = 365;
/** A carrier reports nothing on older parcels, so their shipments will never be known. */
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
      () => 'shipment_id is null',
    ),
  ),
];

/** An event of a webhook, with its stored receipt. */
export interface ReceivedEvent extends SourceShipmentEvent {
  readonly receiptId: string;
  readonly payloadHash: string;
}

/** The shipment of a webhook's event, and whether it was known. */
export interface RecordedRow {
  /** Null = its shipment is not known yet. */
  readonly shipment_id: string | null;
  readonly account_id: string | null;
  readonly is_new: boolean;
}

/** Shipments in one row of the queue; one webhook may contain very many. */
export const MOST_OF_A_MARK = 100;

const PUSHED = bulk(
  'shipment_events',
  ['tracking_number', 'code', 'occurred_at', 'category', 'description', 'location'],
  { receipt_id: 'uuid', payload_hash: 'text', place: 'int4' },
);

/**
 * Events, receipts, their links, and the queue row are written by one statement: the first of
 * several equal events is new. In the order of the table's key, so that two batches that share
 * events wait in turn and do not deadlock.
 */
const record = (entering: string) => (given: string) =>
  `with judged as (
     select given.*, found.account_id, found.id as shipment_id
       from ${entering}${given} left join lateral (
         select account_id, id from shipments
          where organization_id = $1 and carrier = $2 and tracking_number = given.tracking_number
          order by recorded_at desc limit 1) found on true),
   fresh as (
     insert into shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, category,
       description, location, account_id, shipment_id, recorded_at, receipt_id)
     select $1, $2, tracking_number, code, occurred_at, 'webhook', category, description, location, account_id,
       shipment_id, $3::timestamptz, receipt_id
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
     from judged order by place`;

const RECORD = PUSHED.statement<RecordedRow>('shipments.record-events', record(''));
const ENTER_AND_RECORD = PUSHED.statement<RecordedRow>(
  'shipments.enter-and-record-events',
  record('enter_organization($1) entered cross join '),
);

/** @returns a row for each event, in their order */
export function insertEvents(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly ReceivedEvent[],
): Promise<RecordedRow[]> {
  const rows = events.map((event, index) => ({
    tracking_number: event.trackingNumber,
    code: event.code,
    occurred_at: event.occurredAt,
    category: event.category,
    description: event.description,
    location: event.location,
    receipt_id: event.receiptId,
    payload_hash: event.payloadHash,
    place: index + 1,
  }));
  const statement = scope.isEntered ? RECORD : ENTER_AND_RECORD;
  return scope.prepared(statement, statement.values([carrier, scope.clock.now().toString()], rows));
}

const LINK_ALL = statement<Omit<KeyRow, 'carrier'>>(
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

/** @returns the shipments that got events */
export async function linkAll(scope: WriteScope, carrier: Carrier): Promise<ShipmentIdentity[]> {
  const rows = await scope.prepared(LINK_ALL, [carrier]);
  return rows.map((row) => identityOf({ carrier, ...row }));
}

const LINK_OF = statement<object>(
  'shipments.link-orphans-of',
  `update shipment_events e set account_id = s.account_id, shipment_id = s.id
     from shipments s
    where e.organization_id = $1 and e.carrier = $2 and e.shipment_id is null and s.organization_id = $1
      and s.carrier = $2 and s.account_id = $3 and s.id = any($4::text[])
      and e.tracking_number = s.tracking_number`,
);

export async function linkOf(
  scope: WriteScope,
  source: CarrierAccount,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(LINK_OF, [source.carrier, source.accountId, ids]);
}

/**
 * One row a parcel, since it may have many events: their codes, and their times of occurrence and
 * arrival, in microseconds.
 */
const REPORTED = statement<{ tracking_number: string; reported: string }>(
  'shipments.reported-events',
  `select event.tracking_number, json_agg(json_build_array(event.code,
          round(date_part('epoch', event.occurred_at) * 1e6)::bigint,
          round(date_part('epoch', event.recorded_at) * 1e6)::bigint) order by event.seq)::text as reported
     from (select distinct number from unnest($3::text[]) as number) as given
    cross join lateral (
      select * from shipment_events
       where organization_id = $1 and carrier = $2
         and tracking_number between given.number and given.number
       order by tracking_number) as event
    group by event.tracking_number`,
);

/** In order of arrival, by tracking number. */
export async function reportedEventsOf(
  scope: ReadScope,
  carrier: Carrier,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, ReportedEvent[]>> {
  const rows = await scope.prepared(REPORTED, [carrier, trackingNumbers]);
  return new Map(
    rows.map(({ tracking_number: number, reported }) => [number, readReported(reported)]),
  );
}

function readReported(reported: string): ReportedEvent[] {
  return (JSON.parse(reported) as [string, number, number][]).map(([code, occurredAt, seenAt]) => ({
    code,
    occurredAt: fromEpochMicros(occurredAt),
    seenAt: fromEpochMicros(seenAt),
  }));
}
