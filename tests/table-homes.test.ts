import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { openDatabase } from '../src/platform/db/database.ts';
import { knownStatements, type Statement } from '../src/platform/db/query.ts';
import { HOME, TENANT } from '../src/platform/db/table-homes.ts';
import { turnedClock } from './support/clock.ts';
import { addressOf, ownDatabase } from './support/server.ts';

// The tables of organisations can be distributed over several database servers, and each statement
// can be answered by one of them.

/** Over all organisations, by an index on time; on several servers each is asked for its part. */
const HOUSEKEEPING = 'removes what is over, a bounded number of rows of all organisations';
/** Finds the organisations that have work; the work itself is done in each one's own scope. */
const SEARCH = 'finds organisations with work; a server that is away leaves theirs for later';

/** Of all organisations, for the operator; where a server is away it is left out. */
const FIGURE = 'a metric of the whole installation';

/** Statements that use tables of organisations and name no organisation, with the reason. */
const OVER_ALL: Readonly<Record<string, string>> = {
  'alerts.remove': HOUSEKEEPING,
  'balances.remove-history': HOUSEKEEPING,
  'balances.totals': FIGURE,
  'cfdi-uploads.remove': HOUSEKEEPING,
  'cfdi-uploads.remove-files': HOUSEKEEPING,
  'connections.remove-unreadable': HOUSEKEEPING,
  'events.remove': HOUSEKEEPING,
  'findings.remove': HOUSEKEEPING,
  'exports.remove': HOUSEKEEPING,
  'guide-attempts.remove-labels': HOUSEKEEPING,
  'guide-batches.remove': HOUSEKEEPING,
  'idempotent-requests.remove': HOUSEKEEPING,
  'inventory.remove-gone': HOUSEKEEPING,
  'ledger-orders.remove': HOUSEKEEPING,
  'movements.remove': HOUSEKEEPING,
  'inventory.remove-history': HOUSEKEEPING,
  'orders.lock-replaced-documents': HOUSEKEEPING,
  'receipts.remove': HOUSEKEEPING,
  'shipments.remove-orphans': HOUSEKEEPING,
  'shipments.remove-receipts': HOUSEKEEPING,
  'warehouse-actions.remove': HOUSEKEEPING,
  'warehouse-lines.remove': HOUSEKEEPING,
  'webhook-attempts.remove': HOUSEKEEPING,
  'webhook-deliveries.remove': HOUSEKEEPING,
  'webhook-endpoints.remove': HOUSEKEEPING,
  'alerts.organizations-with-unmailed': SEARCH,
  'cfdi-orders.organizations-with-pending': SEARCH,
  'cfdi.organizations-to-read': SEARCH,
  'cfdis.organizations-to-ask': SEARCH,
  'cfdis.organizations-to-look': SEARCH,
  'cfdis.organizations-with-incomplete': SEARCH,
  'cfdi-uploads.unread': SEARCH,
  'exports.under-way': SEARCH,
  'guide_attempts.with-clear-pdf_box': SEARCH,
  'guide_attempts.with-clear-request_box': SEARCH,
  'guide_attempts.with-clear-zpl_box': SEARCH,
  'guide_batches.with-clear-overrides_box': SEARCH,
  'guide-batches.unfinished': SEARCH,
  'inventory.skus-with-words': 'It names the organisation to its function.',
  'invoice_documents.with-clear-xml_box': SEARCH,
  'ledger-orders.organizations-with-pending': SEARCH,
  'orders.accounts-with-loose-documents': SEARCH,
  'orders.due-rerenderings': SEARCH,
  'orders.organizations-with-replaced-documents': SEARCH,
  'orders.organizations-with-unsealed-documents': SEARCH,
  'orders.rerenderings-under-way': SEARCH,
  'orders.unlinked-documents': SEARCH,
  'orders.unplanned-rerenderings': SEARCH,
  'orders.waiting-for-terms': SEARCH,
  'paquetexpress_shipments.with-clear-personal_box': SEARCH,
  'paquetexpress_shipments.with-clear-raw_box': SEARCH,
  'sales.waiting': SEARCH,
  'shipments.with-clear-raw_box': SEARCH,
  'shipments.organizations-with-names': SEARCH,
  'shipments.next-unsettled': SEARCH,
  'warehouse_lines.with-clear-destination_box': SEARCH,
  'webhook-deliveries.due': SEARCH,
};

/** Functions that name a table of organisations, with the reason. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  stock_levels_with:
    'a search by words reads a bitmap, which no other statement of readers may: the setting is its',
};

const SYSTEM = /^pg_/;
const OF_ORGANIZATIONS = new Set<string>(TENANT);
const OF_COORDINATOR = new Set<string>(HOME);

const database = openDatabase({
  address: addressOf(await ownDatabase()),
  clock: turnedClock(),
  readerTimeoutSeconds: 15,
  onIdleError: () => {},
});
const client = await database.connectAsOwner();
after(async () => {
  await client.end();
  await database.close();
});

test('every table is in one of the two lists', async () => {
  const tables = await names(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  );
  assert.deepEqual(tables, [...TENANT, ...HOME].toSorted());
});

test('what is of an organisation begins with it: columns, primary keys and unique indexes', async () => {
  const nullable = await names(
    `select c.relname as name from pg_class c
      where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and not exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
           and a.attnotnull and a.atttypid = 'uuid'::regtype)`,
    [TENANT],
  );
  assert.deepEqual(nullable, [], 'without «organization_id uuid not null»');

  const withoutKey = await names(
    `select c.relname as name from pg_class c
      where c.relname = any($1) and c.relnamespace = 'public'::regnamespace
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    [TENANT],
  );
  assert.deepEqual(withoutKey, [], 'without a primary key');

  const others = await names(
    `select i.indexrelid::regclass::text as name
       from pg_index i join pg_class c on c.oid = i.indrelid
       left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and i.indisunique
        and a.attname is distinct from 'organization_id'`,
    [TENANT],
  );
  assert.deepEqual(others, [], 'unique, and another column is first');
});

test('no trigger is at a table of organisations, and no foreign key leads from list to list', async () => {
  const triggers = await names(
    `select tgname::text as name from pg_trigger
      where not tgisinternal and tgrelid::regclass::text = any($1)`,
    [TENANT],
  );
  assert.deepEqual(triggers, []);

  const across = await names(
    `select conname::text as name from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace
        and (conrelid::regclass::text = any($1)) <> (confrelid::regclass::text = any($1))`,
    [TENANT],
  );
  assert.deepEqual(across, []);
});

test('no function of ours names a table of organisations', async () => {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select proname::text as name, pg_get_functiondef(p.oid) as text from pg_proc p
      where pronamespace = 'public'::regnamespace and prokind in ('f', 'p') and not exists (
        select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  );
  const found = rows.filter(({ text }) =>
    TENANT.some((table) => new RegExp(`\\b${table}\\b`).test(text)),
  );
  assert.deepEqual(found.map(({ name }) => name).toSorted(), Object.keys(FUNCTIONS).toSorted());
});

test('a statement uses tables of one list, those of organisations by the organisation', {
  tags: ['slow'],
}, async () => {
  const faults: string[] = [];
  const overAll = new Set<string>();
  for (const statement of await statementsOfStores()) {
    const { tables } = await understood(statement);
    const tenant = tables.filter((table) => OF_ORGANIZATIONS.has(table));
    const home = tables.filter((table) => OF_COORDINATOR.has(table));
    if (tenant.length > 0 && home.length > 0)
      faults.push(`${statement.name}: ${tenant.join(', ')} with ${home.join(', ')}`);
    const unknown = tables.filter(
      (table) => !tenant.includes(table) && !home.includes(table) && !SYSTEM.test(table),
    );
    if (unknown.length > 0) faults.push(`${statement.name}: ${unknown.join(', ')} in no list`);
    // Housekeeping of several servers finds the organisations first, of a server where another is away.
    const name = statement.name.replace(/-among$/, '').replace(/-search$/, '');
    if (tenant.length > 0 && !isByOrganization(statement)) overAll.add(name);
  }
  assert.deepEqual(faults, []);
  assert.deepEqual([...overAll].toSorted(), Object.keys(OVER_ALL).toSorted());
});

test('what a conflict sets depends on no setting and no clock', { tags: ['slow'] }, async () => {
  const faults: string[] = [];
  for (const statement of await statementsOfStores()) {
    const { changing } = await understood(statement);
    if (changing.length > 0) faults.push(`${statement.name}: ${changing.join(', ')}`);
  }
  assert.deepEqual(faults, []);
});

test('no value that is set is an element or a slice of an array', async () => {
  // There the coordinator of Citus 13.2.2 loses the session.
  const faults: string[] = [];
  for (const statement of await statementsOfStores())
    if ((await understood(statement)).setsPart) faults.push(statement.name);
  assert.deepEqual(faults, []);
});

test('a query that is built uses tables of one list', () => {
  const faults = sources().flatMap(({ file, text }) =>
    builtIn(text)
      .filter(
        (tables) =>
          tables.some((table) => OF_ORGANIZATIONS.has(table)) &&
          tables.some((table) => OF_COORDINATOR.has(table)),
      )
      .map((tables) => `${file}: ${tables.join(', ')}`),
  );
  assert.deepEqual(faults, []);
});

async function names(text: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name).toSorted();
}

/** All statements that are written in stores; those of pages are made when they are requested. */
async function statementsOfStores(): Promise<readonly Statement<unknown>[]> {
  for (const { file } of sources()) await import(`../${file}`);
  // Other test files may run in this process: their statements begin with «test.».
  return knownStatements().filter(
    ({ name, text }) => !name.startsWith('test.') && !/^(begin|commit|lock table|set) /.test(text),
  );
}

interface Understood {
  readonly tables: readonly string[];
  /** Functions in the values of `on conflict … do update set` that are not immutable. */
  readonly changing: readonly string[];
  /** Whether the outermost operation of a value that is set is a subscript. */
  readonly setsPart: boolean;
}

const understandings = new Map<string, Understood>();

/** What PostgreSQL itself understands of a statement, when it is the body of a function. */
async function understood({ name, text }: Statement<unknown>): Promise<Understood> {
  const known = understandings.get(name);
  if (known) return known;
  const number = understandings.size;
  await client.query(`prepare statement_${number} as ${text}`);
  const { rows: prepared } = await client.query(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [`statement_${number}`],
  );
  await client.query(
    `create function body_${number}(${prepared[0].types.join(', ')}) returns void
      language sql begin atomic ${text}; end`,
  );
  const tables = await names(
    `select distinct refobjid::regclass::text as name from pg_depend
      where classid = 'pg_proc'::regclass and objid = $1::regproc and refclassid = 'pg_class'::regclass`,
    [`body_${number}`],
  );
  const { rows: bodies } = await client.query<{ body: string }>(
    'select prosqlbody::text as body from pg_proc where oid = $1::regproc',
    [`body_${number}`],
  );
  const body = bodies[0]?.body ?? '';
  const found = { tables, changing: await changingOf(body), setsPart: setsPart(body) };
  await client.query(`drop function body_${number}; deallocate statement_${number}`);
  understandings.set(name, found);
  return found;
}

/** Of an UPDATE or of `on conflict … do update`, at any depth of the tree. */
function setsPart(body: string): boolean {
  const lists = [...body.matchAll(/\{QUERY :commandType 2 |:onConflictSet \(/g)].map(
    ({ 0: found, index }) => {
      const rest = body.slice(index + found.length);
      return found.startsWith('{') ? listOf(rest, ':targetList (') : topOf(rest);
    },
  );
  return lists.some((list) => list.includes('{TARGETENTRY :expr {SUBSCRIPTINGREF '));
}

/** What is in the list of that name of this node, but not in the nodes in it. */
function listOf(text: string, name: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (depth === 0 && text.startsWith(name, at)) return topOf(text.slice(at + name.length));
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
  }
  return '';
}

/** The entries of a list until its end, without the nodes in their expressions. */
function topOf(text: string): string {
  let depth = 0;
  let top = '';
  for (let at = 0; at < text.length && !(depth === 0 && text[at] === ')'); at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    if (depth <= 2) top += text[at];
  }
  return top;
}

async function changingOf(body: string): Promise<string[]> {
  const set = /:onConflictSet (.*?) :onConflictWhere/s.exec(body)?.[1] ?? '';
  const functions = [...set.matchAll(/:(?:op)?funcid (\d+)/g)].map(([, id]) => id);
  const found = await names(
    "select distinct proname::text as name from pg_proc where oid = any($1::oid[]) and provolatile <> 'i'",
    [functions],
  );
  return set.includes('{SQLVALUEFUNCTION') ? [...found, 'the time of the transaction'] : found;
}

/** Whether its rows are those of `$1`, which a scope makes its organisation. */
function isByOrganization({ text }: Statement<unknown>): boolean {
  return /\borganization_id = \$1\b|\bselect (distinct )?\$1\b|\bvalues \(\$1\b/.test(text);
}

function sources(): { file: string; text: string }[] {
  return globSync(['src/features/**/store*.ts', 'src/platform/db/*.ts'])
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

const BUILT =
  /(?=\b(?:build|scope)\s*\.(?:selectFrom|insertInto|updateTable|deleteFrom|select|insert|update|remove)\()/;
const NAMED = /(?:\(|\b(?:from|join|into|update)\s+)'?(\w+)(?: as \w+)?\b/g;

/** The tables of each query that a store builds; of a page's, those of its whole file. */
function builtIn(text: string): string[][] {
  const queries = text.includes('statements.size') ? [text] : text.split(BUILT).slice(1);
  return queries.map((query) => {
    const [end] = text === query ? [query] : query.split('\n}\n', 1);
    const named = [...(end ?? '').matchAll(NAMED)].map(([, name]) => name ?? '');
    return [...new Set(named)].filter(
      (name) => OF_ORGANIZATIONS.has(name) || OF_COORDINATOR.has(name),
    );
  });
}
