import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { FileTable } from './tables.ts';

/** How the rows of a table are walked and written. */
export interface Layout {
  readonly table: FileTable;
  /** The order of the rows; no two are equal in it. */
  readonly key: readonly string[];
  /** What is written of a row: all but what the database computes. */
  readonly columns: readonly string[];
  /** The column that the database numbers; null = none. */
  readonly numbered: string | null;
}

interface Column {
  readonly name: string;
  readonly place: number | null;
  readonly is_computed: boolean;
  readonly is_numbered: boolean;
}

interface RowText {
  readonly row: string;
}

/** Rows of one page: some of them hold documents of hundreds of kilobytes. */
const PAGE = 200;
/** An account is connected again where its organisation is imported. */
const SECRETS = ['credentials', 'credentials_expire_at', 'push_secret'];

const COLUMNS = statement<Column>(
  'organization-file.columns',
  `select a.attname::text as name, a.attgenerated <> '' as is_computed,
          a.attidentity <> '' as is_numbered,
          array_position(i.indkey::int2[], a.attnum) as place
     from pg_attribute a
     left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`,
);
const ORGANIZATION = statement<RowText>(
  'organization-file.organization',
  'select to_jsonb(o)::text as row from organizations o where id = $1',
);
const ADD_ORGANIZATION = statement<{ is_suspended: boolean }>(
  'organization-file.add-organization',
  `with added as (
     insert into organizations
     select given.* from jsonb_populate_record(null::organizations,
       $2::jsonb || jsonb_build_object('suspended_at', $3::timestamptz)) as given
      where given.id = $1
     on conflict (id) do nothing returning suspended_at)
   select suspended_at is not null as is_suspended from added
   union all select suspended_at is not null from organizations where id = $1`,
);
const PARK = statement<object>(
  'organization-file.park-connections',
  `update connections
      set state = 'disconnected', state_message = null, refused_what = null, refused_at = null,
          refusals = 0, renewing_since = null, disconnected_at = coalesce(disconnected_at, $2::timestamptz)
    where organization_id = $1 and credentials is null`,
);
const COUNT_KEYS = statement<{ count: number }>(
  'organization-file.count-keys',
  'select count(*)::int as count from data_keys where organization_id = $1',
);

export async function layoutOf(scope: ReadScope, table: FileTable): Promise<Layout> {
  const found = await scope.handle.raw(COLUMNS, [table]);
  const numbered = found.find((column) => column.is_numbered)?.name ?? null;
  const key = found
    .filter(({ place }) => place !== null)
    .toSorted((a, b) => Number(a.place) - Number(b.place))
    .map(({ name }) => name);
  const order = key.length > 0 ? key : numbered === null ? [] : [numbered];
  if (order.length === 0) throw new Error(`the rows of ${table} have no order`);
  const columns = found.filter((column) => !column.is_computed).map(({ name }) => name);
  return { table, key: order, columns, numbered };
}

export async function organizationRow(scope: ReadScope): Promise<string | null> {
  return (await scope.prepared(ORGANIZATION, []))[0]?.row ?? null;
}

/** Rows as JSON texts, in their order. @param last of the page before; null = the first page */
export async function pageOf(
  scope: ReadScope,
  layout: Layout,
  last: string | null,
): Promise<string[]> {
  const rows =
    last === null
      ? await scope.prepared(firstPageOf(layout), [])
      : await scope.prepared(nextPageOf(layout), [last]);
  return rows.map(({ row }) => row);
}

export function isLastPage(rows: readonly string[]): boolean {
  return rows.length < PAGE;
}

/**
 * Adds an organisation as its file has it, but suspended.
 * @returns false where it was there already and is not suspended
 */
export async function addOrganization(scope: WriteScope, row: string): Promise<boolean> {
  const found = await scope.prepared(ADD_ORGANIZATION, [row, scope.clock.now().toString()]);
  return found[0]?.is_suspended ?? false;
}

/**
 * Those that are there already stay as they are.
 * @returns how many are of another organisation, and were not added
 */
export async function addRows(
  scope: WriteScope,
  layout: Layout,
  rows: readonly string[],
): Promise<number> {
  const [result] = await scope.prepared(insertOf(layout), [`[${rows.join(',')}]`]);
  return result?.foreign ?? 0;
}

/** New rows get numbers after those of the file. */
export async function numberOn(scope: WriteScope, layout: Layout): Promise<void> {
  if (layout.numbered !== null) await scope.prepared(sequenceOf(layout, layout.numbered), []);
}

/** Those of the file: it has no credentials. */
export async function parkConnections(scope: WriteScope, now: Instant): Promise<void> {
  await scope.prepared(PARK, [now.toString()]);
}

export async function countKeys(scope: ReadScope): Promise<number> {
  return (await scope.prepared(COUNT_KEYS, []))[0]?.count ?? 0;
}

function firstPageOf({ table, key }: Layout): Statement<RowText> {
  return statement(
    `organization-file.first-of-${table}`,
    `select ${jsonOf(table)} as row from ${table} t where t.organization_id = $1
      order by ${of('t', key)} limit ${PAGE}`,
  );
}

function nextPageOf({ table, key }: Layout): Statement<RowText> {
  return statement(
    `organization-file.next-of-${table}`,
    `select ${jsonOf(table)} as row
       from jsonb_populate_record(null::${table}, $2::jsonb) as last, ${table} t
      where t.organization_id = $1 and (${of('t', key)}) > (${of('last', key)})
      order by ${of('t', key)} limit ${PAGE}`,
  );
}

function jsonOf(table: FileTable): string {
  const without = SECRETS.map((name) => `'${name}', null`).join(', ');
  const row = table === 'connections' ? ` || jsonb_build_object(${without})` : '';
  return `(to_jsonb(t)${row})::text`;
}

function insertOf({ table, columns }: Layout): Statement<{ foreign: number }> {
  const names = columns.join(', ');
  return statement(
    `organization-file.insert-into-${table}`,
    `with given as materialized (
       select ${names} from jsonb_populate_recordset(null::${table}, $2::jsonb)),
     added as (
       insert into ${table} (${names}) overriding system value
       select ${names} from given where organization_id = $1 on conflict do nothing)
     select count(*) filter (where organization_id is distinct from $1)::int as foreign from given`,
  );
}

function sequenceOf({ table }: Layout, column: string): Statement<object> {
  const sequence = `pg_get_serial_sequence('${table}', '${column}')`;
  return statement(
    `organization-file.number-${table}`,
    `select setval(${sequence}, greatest(nextval(${sequence}),
       (select max(${column}) from ${table} where organization_id = $1)))`,
  );
}

function of(row: string, names: readonly string[]): string {
  return names.map((name) => `${row}.${name}`).join(', ');
}
