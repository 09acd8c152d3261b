import type { SourceShipment } from '../../carriers/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { textArray } from '../../platform/db/text-array.ts';
import { isRawNumber, parseLossless } from '../../platform/json.ts';
import { AT_FIRST, type CarrierSource } from './shipment.ts';
import type { Move } from './store-standing.ts';

type Account = Omit<CarrierSource, 'connectionId'>;
export type Details = NonNullable<SourceShipment['details']>;

/** The carrier's 55 fields but the account's and the parcel's own number, which are the key. */
const FIELDS =
  `guide_number guide_number_formatted guide_type document_type status_code status_text status_category
  status_at service_type service_id payment_mode payment_type payment_type_text delivery_type ack_type ack_type_name
  insurance_type declared_value package_count package_code content sat_product_id weight_kg length_cm width_cm
  height_cm volume_m3 rate_slab origin_client_id origin_name origin_branch origin_city origin_state origin_zip
  destination_client_id destination_name destination_tax_id destination_phone destination_branch destination_street
  destination_number destination_colony destination_city destination_state destination_zip delivery_route reference
  comments subtotal_amount tax_amount total_amount documented_at promised_at delivered_at`
    .trim()
    .split(/\s+/);
const NAMES = [...FIELDS, 'last_event_code', 'fetched_at', 'raw'];

/** Typed by the table itself. */
const UPSERT = statement<object>(
  'shipments.upsert-details',
  `insert into paquetexpress_shipments (organization_id, account_id, tracking_number, ${NAMES.join(', ')})
   select $1, $2::text, g.tracking_number, ${NAMES.map((name) => `g.${name}`).join(', ')}
     from jsonb_populate_recordset(null::paquetexpress_shipments, $3::jsonb) as g
   on conflict (organization_id, account_id, tracking_number) do update
     set ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}
   where (paquetexpress_shipments.raw, paquetexpress_shipments.status_code)
     is distinct from (excluded.raw, excluded.status_code)`,
);

/** As text: amounts must not become floats on their way. */
const STORED = statement<{ tracking_number: string; details: string }>(
  'shipments.stored-details',
  `select tracking_number, (to_jsonb(p) - 'organization_id' - 'account_id' - 'raw' - 'fetched_at'
          - 'last_event_code')::text as details
     from paquetexpress_shipments p
    where organization_id = $1 and account_id = $2 and tracking_number = any($3::text[])`,
);

const SET_STANDINGS = statement<object>(
  'shipments.set-standings-of-details',
  `update paquetexpress_shipments p
      set status_code = given.status_code, status_category = given.status_category, status_at = given.status_at,
          delivered_at = given.delivered_at, last_event_code = given.status_code,
          status_text = case when p.status_code = given.status_code then p.status_text end
     from unnest($3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
       as given (tracking_number, status_code, status_category, status_at, delivered_at)
    where p.organization_id = $1 and p.account_id = $2 and p.tracking_number = given.tracking_number`,
);

interface DetailRow {
  readonly details: Details;
  readonly fetchedAt: string;
  readonly raw: string;
}

export async function upsertDetails(
  scope: WriteScope,
  { accountId }: Account,
  rows: readonly DetailRow[],
): Promise<void> {
  const records = rows.map(({ details, fetchedAt, raw }) => ({
    ...details,
    status_category: details.status_category ?? AT_FIRST,
    last_event_code: details.status_code,
    fetched_at: fetchedAt,
    raw,
  }));
  await scope.prepared(UPSERT, [accountId, JSON.stringify(records)]);
}

export async function storedDetails(
  scope: ReadScope,
  { accountId }: Account,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, Details>> {
  const rows = await scope.prepared(STORED, [accountId, trackingNumbers]);
  return new Map(
    rows.map(({ tracking_number, details }) => [tracking_number, readDetails(details)]),
  );
}

function readDetails(text: string): Details {
  const fields = Object.entries(parseLossless(text) as Record<string, unknown>);
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      isRawNumber(value) ? value.rawJSON : (value as string | null),
    ]),
  );
}

/** @param moves of one account */
export async function setStandingsOfDetails(
  scope: WriteScope,
  { carrier, accountId }: Account,
  moves: readonly Move[],
): Promise<void> {
  if (carrier !== 'paquetexpress') return;
  const standings = moves.map(({ standing }) => standing);
  await scope.prepared(SET_STANDINGS, [
    accountId,
    textArray(moves.map(({ before }) => before.id)),
    textArray(standings.map(({ carrierStatus }) => carrierStatus)),
    textArray(moves.map(({ category }) => category)),
    standings.map(({ changedAt }) => changedAt.toString()),
    standings.map(({ deliveredAt }) => deliveredAt?.toString() ?? null),
  ]);
}
