import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { after, test } from 'node:test';
import pg from 'pg';
import { knownStatements } from '../src/platform/db/query.ts';
import { WRITING } from '../src/platform/db/sessions.ts';
import { explained, literal } from './support/plan.ts';
import { addressOf, freshDatabase } from './support/server.ts';

// What a statement for many rows costs among more rows of the same organisation, where the
// statistics know nothing of it: the planner then expects one row, and a nested loop over both
// looks as cheap to it as finding each by its key. Also runs on served PostgreSQL and Redis.

const ROWS = 2_000;
const GIVEN = 100;
/** Each is found in a few tables, and may be locked there. */
const MOST_LOOKS_OF_EACH = 5;

const OURS = '00000000-0000-4000-8000-000000000001';
const OTHERS = '00000000-0000-4000-8000-000000000002';

const NUMBERS = Array.from({ length: GIVEN }, (_, n) => n * 7 + 1);
const NAMES = NUMBERS.map((n) => `N${n}`);
const IDS = NUMBERS.map((n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const each = <T>(value: T) => NUMBERS.map(() => value);
const KEYS = [each('mercado_libre'), each('A'), NAMES];

/** The parameters after the organisation, by the statement. */
const STATEMENTS: Readonly<Record<string, readonly unknown[]>> = {
  'warehouse-lines.orders-of': [IDS],
  'warehouse-lines.lock-parcels': KEYS,
  'warehouse-lines.of-parcels': KEYS,
  'guide-attempts.open-of': [IDS],
  'guide-attempts.by-ids': [IDS],
  'inventory.lock': ['mercado_libre', 'A', NAMES, each(''), each('seller')],
  'movements.latest': ['mercado_libre', 'A', 'R', NAMES],
  'movements.settle': ['mercado_libre', 'A', 'R', NAMES, NAMES, each(false)],
  'ledger-orders.money': KEYS,
  'cfdi-orders.invoices': KEYS,
  'cfdi-orders.mark-annotated': ['2026-01-01T00:00:00Z', ...KEYS],
  'shipments.naming': [NAMES],
  'shipments.order-relations': [NAMES],
  'shipments.reported-events': ['paquetexpress', NAMES],
};

const TABLES = [
  'cfdi_orders',
  'cfdis',
  'guide_attempts',
  'movements',
  'order_relations',
  'orders',
  'shipment_events',
  'shipment_relations',
  'shipments',
  'stock_levels',
  'warehouse_line_orders',
  'warehouse_lines',
];

for (const file of globSync('src/features/**/store*.ts'))
  if (!file.endsWith('.test.ts')) await import(`../${file}`);
const client = new pg.Client(clientOf(await freshDatabase()));
await client.connect();
after(() => client.end());
for (const [name, value] of Object.entries(WRITING)) await client.query(`set ${name} = '${value}'`);
for (const table of TABLES)
  await client.query(`alter table ${table} set (autovacuum_enabled = off)`);

test('what many rows are written or read by looks for each by its key, whatever is known of the tables', {
  tags: ['slow'],
}, async () => {
  await prepare('empty');
  await fill(OURS, ROWS);
  await assertFew('empty', 'planned before there were rows');

  await prepare('unknown');
  await assertFew('unknown', 'planned before there were statistics');

  await client.query(`truncate ${TABLES.join(', ')}`);
  await fill(OTHERS, 20);
  await client.query('analyze');
  await fill(OURS, ROWS);
  await prepare('few');
  await assertFew('few', 'planned with statistics of few rows of another organisation');
});

test('lines are locked in the order of their ids, in whichever order their parcels are given', async () => {
  await client.query(`truncate ${TABLES.join(', ')}`);
  await fill(OURS, ROWS);
  const values = [OURS, each('mercado_libre'), each('A'), NAMES.toReversed()];

  // Each row is locked when it is given out.
  const { rows } = await client.query(textOf('warehouse-lines.lock-parcels'), values);

  assert.deepEqual(
    rows.map(({ id }) => id),
    IDS,
  );
});

// Arrangement

/** Their plans are made with the first execution, and kept. */
async function prepare(prefix: string): Promise<void> {
  for (const [at, name] of Object.keys(STATEMENTS).entries())
    await client.query(`prepare ${prefix}_${at} as ${textOf(name)}`);
  for (const at of Object.keys(STATEMENTS).keys()) await executed(prefix, at);
}

function textOf(name: string): string {
  const text = knownStatements().find((one) => one.name === name)?.text;
  assert.ok(text, `no statement has the name ${name}`);
  return text;
}

async function assertFew(prefix: string, when: string): Promise<void> {
  const faults: string[] = [];
  for (const [at, name] of Object.keys(STATEMENTS).entries()) {
    const { read, compared, by } = await executed(prefix, at);
    if (read < GIVEN || read + compared > GIVEN * MOST_LOOKS_OF_EACH)
      faults.push(`${name}: ${read} rows read and ${compared} compared, by ${by.join(', ')}`);
  }
  assert.deepEqual(faults, [], when);
}

/** Whatever it writes is undone. */
async function executed(prefix: string, at: number) {
  const values = [OURS, ...(Object.values(STATEMENTS)[at] ?? [])].map(literal).join(', ');
  await client.query('begin');
  const { rows } = await client.query(
    `explain (analyze, format json) execute ${prefix}_${at} (${values})`,
  );
  await client.query('rollback');
  return explained(rows[0]);
}

async function fill(organization: string, count: number): Promise<void> {
  const id = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const order = `$1::uuid, 'mercado_libre', 'A', 'N' || n`;
  for (const [columns, values] of [
    [
      'warehouse_lines (organization_id, marketplace, account_id, parcel, id, state, packages, staged_at, updated_at)',
      `${order}, ${id}, 'staged', 1, now(), now()`,
    ],
    [
      'warehouse_line_orders (organization_id, marketplace, account_id, order_id, line_id, status, items, tags)',
      `${order}, ${id}, 'paid', '[]', '[]'`,
    ],
    [
      'guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, queued_at)',
      `$1, ${id}, ${id}, ${id}, 'N' || n, 'sent', 'paquetexpress', 'MXN', now()`,
    ],
    [
      'movements (organization_id, marketplace, account_id, order_id, report, key, revision, is_correction, connection_id, kind, amount, currency, at, native_type, is_open, recorded_at)',
      `${order}, 'R', 'N' || n, 0, false, $1, 'sale', 1, 'MXN', now(), '', true, now()`,
    ],
    [
      'cfdis (organization_id, uuid, kind, type, direction, status, issuer_rfc, issued_at, source, recorded_at, record_box, xml_box)',
      `$1, 'N' || n, 'cfdi', 'ingreso', 'issued', 'vigente', 'AAA010101AAA', now(), 'upload', now(), '', ''`,
    ],
    [
      'cfdi_orders (organization_id, marketplace, account_id, order_id, uuid, origin, state, linked_at)',
      `${order}, 'N' || n, 'document', 'linked', now()`,
    ],
    [
      'orders (organization_id, marketplace, account_id, id, status, marketplace_status, currency, date_created, newest_first, last_updated, fetched_at, fingerprint, list_json, detail_json)',
      `${order}, 'paid', '', 'MXN', now(), -n, now(), now(), '', '{}', '{}'`,
    ],
    [
      'order_relations (organization_id, marketplace, account_id, order_id, value, kind)',
      `${order}, 'N' || n, 'pack'`,
    ],
    [
      'shipments (organization_id, connection_id, carrier, account_id, id, tracking_number, category, carrier_status, is_final, is_damaged, currency, created_at, packages, relations, fetched_at, recorded_at, updated_at, fingerprint, raw)',
      `$1, $1, 'paquetexpress', 'A', 'N' || n, 'N' || n, 'PREPARACION', '', false, false, 'MXN', now(), '[]', '[]', now(), now(), now(), '', '{}'`,
    ],
    [
      'shipment_relations (organization_id, value, carrier, account_id, shipment_id)',
      `$1, 'N' || n, 'paquetexpress', 'A', 'N' || n`,
    ],
    [
      'shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, recorded_at)',
      `$1, 'paquetexpress', 'N' || n, '', now(), '', now()`,
    ],
    [
      'stock_levels (organization_id, marketplace, account_id, item_id, connection_id, variation_id, warehouse, available, unavailable, title, updated_at, seen_at)',
      `${order}, $1, '', 'seller', 1, 0, '', now(), now()`,
    ],
  ])
    await client.query(
      `insert into ${columns} select ${values} from generate_series(1, $2::int) as n`,
      [organization, count],
    );
}

function clientOf(database: string): pg.ClientConfig {
  const address = addressOf(database);
  return 'url' in address ? { connectionString: address.url } : { ...address };
}
