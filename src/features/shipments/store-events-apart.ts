import type { Carrier } from '../../carriers/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { MOST_OF_A_MARK, type ReceivedEvent, type RecordedRow } from './store-events.ts';

// Stores webhooks of carriers on several servers of data. Citus sends a statement with CTEs to every
// server; each statement of this file goes to the organisation's own server alone.

const TRACKED = bulk('shipment_events', ['tracking_number'], { place: 'int4' });
const EVENTS = bulk(
  'shipment_events',
  [
    'tracking_number',
    'code',
    'occurred_at',
    'category',
    'description',
    'location',
    'account_id',
    'shipment_id',
    'receipt_id',
  ],
  { place: 'int4' },
);
const RECEIPTS = bulk('carrier_receipts', [
  'id',
  'tracking_number',
  'code',
  'occurred_at',
  'linked',
  'duplicate',
  'payload_hash',
]);
const NAMES = EVENTS.columns.filter((name) => name !== 'place').join(', ');

const FIND = TRACKED.statement<Found>(
  'shipments.find-tracked',
  (given) => `select found.account_id, found.id as shipment_id
     from ${given} left join lateral (
       select account_id, id from shipments
        where organization_id = $1 and carrier = $2 and tracking_number = given.tracking_number
        order by recorded_at desc limit 1) found on true
    order by place`,
);
/** In the order of the table's key, as the statement of one server does it. */
const INSERT = EVENTS.statement<{ receipt_id: string }>(
  'shipments.insert-events',
  (given) => `insert into shipment_events (organization_id, carrier, source, recorded_at, ${NAMES})
   select $1, $2, 'webhook', $3::timestamptz, ${NAMES} from ${given}
    order by tracking_number collate "C", code collate "C", occurred_at, place
   on conflict (organization_id, carrier, tracking_number, code, occurred_at) do nothing
   returning receipt_id`,
);
const KEEP = RECEIPTS.statement(
  'shipments.insert-receipts',
  (
    given,
  ) => `insert into carrier_receipts (organization_id, carrier, received_at, ${RECEIPTS.names})
   select $1, $2, $3::timestamptz, * from ${given}`,
);
const MARK = statement<object>(
  'shipments.mark-to-settle',
  `insert into shipments_to_settle (organization_id, carrier, account_ids, shipment_ids)
   values ($1, $2, $3::text[], $4::text[])`,
);

type Found = Pick<RecordedRow, 'account_id' | 'shipment_id'>;

/** What `insertEvents` does, in one transaction of several statements. */
export async function insertEventsApart(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly ReceivedEvent[],
): Promise<RecordedRow[]> {
  const now = scope.clock.now().toString();
  const keys = events.map(({ trackingNumber }, place) => ({
    tracking_number: trackingNumber,
    place,
  }));
  const found = await scope.prepared(FIND, FIND.values([carrier], keys));
  const rows = events.map((event, place) => ({
    ...columnsOf(event),
    ...foundAt(found, place),
    place,
  }));
  const fresh = await scope.prepared(INSERT, INSERT.values([carrier, now], rows));
  const isNew = new Set(fresh.map(({ receipt_id }) => receipt_id));
  const receipts = events.map((event, place) => receiptOf(event, rows[place], isNew));
  await scope.prepared(KEEP, KEEP.values([carrier, now], receipts));
  const recorded = rows.map(({ account_id, shipment_id, receipt_id }) => ({
    account_id,
    shipment_id,
    is_new: isNew.has(receipt_id),
  }));
  const known = recorded.filter((row) => row.is_new && row.shipment_id !== null);
  for (let from = 0; from < known.length; from += MOST_OF_A_MARK) {
    const some = known.slice(from, from + MOST_OF_A_MARK);
    const [accounts, ids] = [some.map((row) => row.account_id), some.map((row) => row.shipment_id)];
    await scope.prepared(MARK, [carrier, accounts, ids]);
  }
  return recorded;
}

function columnsOf(event: ReceivedEvent) {
  const { code, category, description, location } = event;
  return {
    code,
    category,
    description,
    location,
    tracking_number: event.trackingNumber,
    occurred_at: event.occurredAt,
    receipt_id: event.receiptId,
  };
}

function foundAt(found: readonly Found[], place: number): Found {
  const { account_id, shipment_id } = found[place] as Found;
  return { account_id, shipment_id };
}

function receiptOf(
  event: ReceivedEvent,
  row: Found | undefined,
  isNew: ReadonlySet<string>,
): GivenBy<typeof RECEIPTS> {
  return {
    id: event.receiptId,
    tracking_number: event.trackingNumber,
    code: event.code,
    occurred_at: event.occurredAt,
    linked: row?.shipment_id !== null,
    duplicate: !isNew.has(event.receiptId),
    payload_hash: event.payloadHash,
  };
}
