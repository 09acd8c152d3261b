import type { Carrier, DetailsTable, SourceShipment } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { digestFor, openFrom, sealFor } from '../../platform/db/sealed-column.ts';
import type { Vault } from '../../platform/db/vault.ts';
import { isRawNumber, parseLossless } from '../../platform/json.ts';
import { AT_FIRST, type CarrierAccount } from './shipment.ts';
import { sealedDetails } from './store-documents.ts';
import { replaced } from './store-recipients.ts';
import type { Move } from './store-standing.ts';

export type Details = NonNullable<SourceShipment['details']>;

/** Of such a table. */
const STANDINGS = bulk('shipments', ['tracking_number', 'delivered_at'], {
  status_code: 'text',
  status_category: 'text',
  status_at: 'timestamptz',
});

/** Keys of such rows as an argument of a statement. */
const NUMBERS = bulk('shipments', ['account_id', 'tracking_number']);

/** What every such table has besides the carrier's own columns. */
const COMMON = ['last_event_code', 'fetched_at', 'raw', 'raw_box', 'raw_digest', 'personal_box'];

/** The statements of a carrier's own data model; null = it has none. */
function statementsOf(carrier: Carrier): Statements | null {
  const table = findCarrier(carrier)?.facts.details;
  if (!table) return null;
  const made = known.get(carrier) ?? statementsFor(table);
  known.set(carrier, made);
  return made;
}

const known = new Map<Carrier, Statements>();
type Statements = ReturnType<typeof statementsFor>;

/** Names of the table and its columns are constants of the carrier's description. */
function statementsFor({ name: table, columns, personal }: DetailsTable) {
  const names = [...columns, ...COMMON];
  return {
    table,
    personal,
    /** Typed by the table itself. */
    upsert: statement<object>(
      `${table}.upsert`,
      `insert into ${table} (organization_id, account_id, tracking_number, ${names.join(', ')})
       select $1, $2::text, g.tracking_number, ${names.map((name) => `g.${name}`).join(', ')}
         from jsonb_populate_recordset(null::${table}, $3::jsonb) as g
       on conflict (organization_id, account_id, tracking_number) do update
         set ${names.map((name) => replaced(table, name, ['raw_box', 'personal_box'])).join(', ')}
       where (${table}.raw, ${table}.raw_digest, ${table}.status_code)
         is distinct from (excluded.raw, excluded.raw_digest, excluded.status_code)
         and ${table}.fetched_at <= excluded.fetched_at`,
    ),
    /** As text: amounts must not become floats on their way. */
    stored: statement<StoredRow>(
      `${table}.stored`,
      `select tracking_number, personal_box, (to_jsonb(p) - 'organization_id' - 'account_id' - 'raw'
              - 'raw_box' - 'raw_digest' - 'personal_box' - 'is_recipient_forgotten' - 'fetched_at'
              - 'last_event_code')::text as details
         from ${table} p
        where organization_id = $1 and account_id = $2 and tracking_number = any($3::text[])`,
    ),
    setStandings: STANDINGS.statement(
      `${table}.set-standings`,
      (given) => `update ${table} p
          set status_code = given.status_code, status_category = given.status_category,
              status_at = given.status_at, delivered_at = given.delivered_at,
              last_event_code = given.status_code,
              status_text = case when p.status_code = given.status_code then p.status_text end
         from ${given}
        where p.organization_id = $1 and p.account_id = $2
          and p.tracking_number = given.tracking_number`,
    ),
    /** The digest stays: without the key a guess of the document cannot be tried. */
    forget: NUMBERS.statement(
      `${table}.forget-recipients`,
      (given) => `update ${table} p
          set is_recipient_forgotten = true, raw = null, raw_box = null, personal_box = null,
              ${personal.map((column) => `${column} = null`).join(', ')}
         from ${given}
        where p.organization_id = $1 and p.account_id = given.account_id
          and p.tracking_number = given.tracking_number`,
    ),
  };
}

interface StoredRow {
  readonly tracking_number: string;
  readonly details: string;
  readonly personal_box: Buffer | null;
}

interface DetailRow {
  readonly details: Details;
  readonly fetchedAt: string;
  readonly raw: string;
}

export async function upsertDetails(
  scope: WriteScope,
  { carrier, accountId }: CarrierAccount,
  rows: readonly DetailRow[],
): Promise<void> {
  const statements = statementsOf(carrier);
  if (!statements || rows.length === 0) return;
  const vault = await scope.vault();
  const records = rows.map(async ({ details, fetchedAt, raw }) => {
    const key = [accountId, String(details.tracking_number)];
    const { document } = sealedDetails(statements.table);
    return {
      ...details,
      ...(await sealedPersonal(vault, statements, key, details)),
      status_category: details.status_category ?? AT_FIRST,
      last_event_code: details.status_code,
      fetched_at: fetchedAt,
      raw: null,
      raw_box: hexOf(await sealFor(vault, document, key, raw)),
      raw_digest: hexOf(digestFor(vault, document, key, raw)),
    };
  });
  await scope.prepared(statements.upsert, [accountId, JSON.stringify(await Promise.all(records))]);
}

/** A carrier's own data model of shipments, by tracking number. */
export async function storedDetails(
  scope: ReadScope,
  { carrier, accountId }: CarrierAccount,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, Details>> {
  const statements = statementsOf(carrier);
  if (!statements) return new Map();
  const rows = await scope.prepared(statements.stored, [accountId, trackingNumbers]);
  const { personal } = sealedDetails(statements.table);
  const read = rows.map(async ({ tracking_number: number, details, personal_box: box }) => {
    const opened = await openFrom(scope, personal, [accountId, number], { box, clear: null });
    const known = opened === null ? null : (JSON.parse(opened) as Details);
    return [number, { ...readDetails(details), ...known }] as const;
  });
  return new Map(await Promise.all(read));
}

/** The columns in clear are empty; their values are in the box. */
async function sealedPersonal(
  vault: Vault,
  { table, personal }: Statements,
  key: readonly string[],
  details: Details,
): Promise<object> {
  const known = personal.filter((column) => details[column] !== null);
  const text = JSON.stringify(Object.fromEntries(known.map((column) => [column, details[column]])));
  const box = await sealFor(vault, sealedDetails(table).personal, key, text);
  return {
    ...Object.fromEntries(personal.map((column) => [column, null])),
    personal_box: known.length === 0 ? null : hexOf(box),
  };
}

/** As PostgreSQL reads bytes from JSON. */
function hexOf(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
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
  { carrier, accountId }: CarrierAccount,
  moves: readonly Move[],
): Promise<void> {
  const statements = statementsOf(carrier);
  if (!statements) return;
  const rows = moves.map(({ before, standing, category }) => ({
    tracking_number: before.id,
    status_code: standing.carrierStatus,
    status_category: category,
    status_at: standing.changedAt,
    delivered_at: standing.deliveredAt,
  }));
  await scope.prepared(statements.setStandings, statements.setStandings.values([accountId], rows));
}

/** Deletes what may identify the recipients of a carrier's shipments. */
export async function forgetPersonal(
  scope: WriteScope,
  carrier: Carrier,
  shipments: readonly { account_id: string; tracking_number: string | null }[],
): Promise<void> {
  const statements = statementsOf(carrier);
  if (!statements) return;
  const rows = shipments.map(({ account_id, tracking_number }) => ({
    account_id,
    tracking_number,
  }));
  await scope.prepared(statements.forget, statements.forget.values([], rows));
}
