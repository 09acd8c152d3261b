import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { retentionsOf } from '../src/exchange/jobs/retentions.ts';
import { INSTANCE } from '../src/features/schedules/index.ts';
import type { WriteHandle } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// What the instance removes every hour, and that nothing grows without a decision on how
// long. Also runs on served PostgreSQL and Redis.

const RETENTIONS = retentionsOf({ documentsDays: 90 });

test('of every table it is written how long its rows stay, or why they do', async (t) => {
  const at = await openApp(t);
  const rows = await query(
    at,
    "select tablename as name from pg_tables where schemaname = 'public'",
  );

  const reported = documentedTables();
  assert.deepEqual(
    reported.flatMap(({ tables }) => tables).toSorted(),
    rows.map(({ name }) => name).toSorted(),
  );
  for (const { tables, kept } of reported)
    assert.ok(kept.trim() !== '', `${tables} without a time or a reason`);
});

test('what is written is what is done', () => {
  const reported = documentedTables();
  for (const { table, keepDays } of RETENTIONS) {
    const row = reported.find(({ tables }) => tables.includes(table));
    if (keepDays === 0) assert.match(row?.kept ?? '', /until/, table);
    else assert.match(row?.kept ?? '', new RegExp(`\\b${keepDays} days?\\b`), table);
  }
  const promised = reported
    .filter(({ kept }) => /\d+ days?\b/.test(kept))
    .flatMap(({ tables }) => tables);
  const removed = new Set(RETENTIONS.map(({ table }) => table));
  assert.deepEqual(
    promised.filter((table) => !removed.has(table) && !(table in GOES_WITH)),
    [],
  );
});

const shared = await openApp(WHOLE_FILE, { database: await freshDatabase() });

for (const [name, { insert, table = name }] of Object.entries(rowsOf()))
  test(`${name}: what is over goes, and what is not stays`, async () => {
    const at = await shared.another();
    const keepDays = RETENTIONS.find((retention) => retention.table === table)?.keepDays ?? 0;
    const end = at.clock.now().subtract({ hours: 24 * keepDays });
    const add = async (time: Temporal.Instant, id: string) => {
      for (const sql of insert.split(';'))
        await query(
          at,
          sql
            .replaceAll(':org', `'${at.organization.id}'`)
            .replaceAll(':at', `'${time}'`)
            .replaceAll(':id', `'${id}'`),
        );
    };
    const others = await left(at, name, table);
    const along = Object.keys(GOES_WITH).filter((other) => GOES_WITH[other] === table);
    const countAlong = () => Promise.all(along.map((other) => left(at, other, other)));
    const beside = await countAlong();
    await add(end.subtract({ hours: 1 }), newId());
    await add(end.add({ hours: 1 }), newId());
    const before = await left(at, name, table);

    await keepInstance(at);

    assert.deepEqual([before, await left(at, name, table)], [others + 2, others + 1]);
    for (const [index, count] of (await countAlong()).entries())
      assert.ok(count <= (beside[index] ?? 0) + 1, String(along[index]));
  });

test('what is over is removed however much it is', async (t) => {
  const at = await openApp(t, { database: await freshDatabase() });
  await query(
    at,
    `insert into events (organization_id, id, type, created_at, data)
     select '${at.organization.id}', 'evt_' || n, 'order.updated', timestamptz '${at.clock.now()}' - n * interval '1 hour', '{}'
       from generate_series(1, 3500) n`,
  );

  await keepInstance(at);

  const [row] = await query(at, 'select count(*)::int as count from events');
  assert.equal(row?.count, 24 * 30);
});

test('a step that fails is an alert of the installation and stops no other; the alert ends with the next success', async (t) => {
  const at = await openApp(t, { database: await freshDatabase() });
  const old = at.clock.now().subtract({ hours: 24 * 401 });
  await query(
    at,
    `insert into balance_history (organization_id, service, account_id, purse, currency, as_of)
     values ('${at.organization.id}', 'amazon', 'A', 'p', 'MXN', '${old}')`,
  );
  await query(at, 'alter table sales_recounts rename to away');
  await query(at, 'alter table acts rename to acts_away');

  await keepInstance(at);

  const alerts = () =>
    query(
      at,
      'select kind, subject, resolved_at is null as stands, message from alerts where organization_id = $1 order by subject',
      [INSTANCE],
    );
  assert.deepEqual(
    (await alerts()).map(({ kind, subject, stands }) => [kind, subject, stands]),
    [
      ['housekeeping', 'recount-sales', true],
      ['housekeeping', 'remove:acts', true],
    ],
  );
  assert.match(
    String((await alerts())[0]?.message),
    /^El mantenimiento de cada hora no pudo recontar ventas\./,
  );
  assert.deepEqual(await query(at, 'select from balance_history'), [], 'the steps after it ran');

  await query(at, 'alter table away rename to sales_recounts');
  await query(at, 'alter table acts_away rename to acts');
  await keepInstance(at);
  assert.deepEqual(
    (await alerts()).map(({ stands }) => stands),
    [false, false],
  );
});

test('rows are removed by an index on their time', async (t) => {
  const at = await openApp(t);
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const plans = await at.app.database.write(async (handle) => {
    const listening: WriteHandle = {
      ...handle,
      raw: async (statement, values) => {
        asked.push({ text: statement.text, values });
        return [];
      },
    };
    for (const { remove } of RETENTIONS) await remove(listening, at.clock.now(), 1);
    for (const scan of ['seqscan', 'bitmapscan'])
      await handle.sql(`set local enable_${scan} = off`, []);
    const found: string[] = [];
    for (const { text, values } of asked.filter(({ text: sql }) =>
      sql.includes('for update skip locked'),
    ))
      found.push(
        (await handle.sql(`explain ${text}`, values.map(String)))
          .map((row) => Object.values(row)[0])
          .join('\n'),
      );
    return found;
  });

  assert.ok(plans.length >= RETENTIONS.length - 3, `${plans.length} plans`);
  for (const plan of plans) {
    assert.doesNotMatch(plan, /Seq Scan/);
    assert.doesNotMatch(plan, /Sort Key/, plan);
  }
});

/** Rows of the page's table: the tables that each is about, and how long they are kept. */
function documentedTables(): { tables: string[]; kept: string }[] {
  const page = readFileSync('docs/running.md', 'utf8');
  const table = /<!-- tables -->([\s\S]*?)<!-- end of tables -->/.exec(page)?.[1] ?? '';
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, tables = '', , kept = ''] = line.split('|');
      return { tables: [...tables.matchAll(/`(\w+)`/g)].map(([, name]) => name as string), kept };
    });
}

/** What is removed together with rows of another table. */
const GOES_WITH: Readonly<Record<string, string>> = {
  export_chunks: 'exports',
  organizations: 'people',
  members: 'people',
  credentials: 'people',
  second_factors: 'people',
  passkeys: 'people',
  warehouse_line_orders: 'warehouse_lines',
  guide_batch_lines: 'guide_batches',
  shipments: 'shipment_events',
  shipment_relations: 'shipment_events',
  paquetexpress_shipments: 'shipment_events',
};

/**
 * A row whose time is `:at`, for each retention; what is written elsewhere has tests of its own.
 */
function rowsOf(): Record<string, { insert: string; table?: string }> {
  const line = (state: string) => ({
    table: 'warehouse_lines',
    insert: `insert into warehouse_lines (organization_id, id, marketplace, account_id, parcel, state, packages, staged_at, updated_at)
       values (:org, :id, 'amazon', 'A', 'order:' || :id, '${state}', 1, :at, :at);
     insert into warehouse_line_orders (organization_id, marketplace, account_id, order_id, line_id, status, items, tags)
       values (:org, 'amazon', 'A', :id, :id, 'paid', '[]', '[]')`,
  });
  return {
    events: {
      insert: `insert into events (organization_id, id, type, created_at, data) values (:org, :id, 'order.updated', :at, '{}')`,
    },
    receipts: {
      insert: `insert into receipts (organization_id, id, connection_id, source, received_at, body)
        values (:org, :id, :org, 'shopify', :at, '{}')`,
    },
    carrier_receipts: {
      insert: `insert into carrier_receipts (organization_id, id, carrier, received_at, tracking_number, code, occurred_at, linked, duplicate, payload_hash)
        values (:org, :id, 'paquetexpress', :at, 'R', 'ENT', :at, false, false, '')`,
    },
    shipment_events: {
      insert: `insert into shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, recorded_at)
        values (:org, 'paquetexpress', :id, 'ENT', :at, 'webhook', :at)`,
    },
    acts: {
      insert: `insert into acts (organization_id, at, act, done_by) values (:org, :at, 'key_created', 'operator')`,
    },
    agent_calls: {
      insert: `insert into agent_calls (organization_id, grant_id, person_id, client_id, tool, at, duration_ms, row_count, outcome)
        values (:org, 'g', :id, 'c', 'list_orders', :at, 1, 1, 'ok')`,
    },
    request_counts: {
      insert: `insert into request_counts (organization_id, minute, caller_kind, caller_id, admitted, refused)
        values (:org, :at, 'key', :id, 1, 0)`,
    },
    oauth_records: {
      insert: `insert into oauth_records (model, id, payload, expires_at) values ('AccessToken', :id, '{}', :at)`,
    },
    connect_attempts: {
      insert: `insert into connect_attempts (organization_id, state_hash, service, verifier, expires_at)
        values (:org, :id, 'shopify', '', :at)`,
    },
    unreadable_items: {
      insert: `insert into unreadable_items (organization_id, connection_id, stream, digest, reason, box, first_seen_at, last_seen_at)
        values (:org, :org, 'orders', :id, '', '', :at, :at)`,
    },
    alerts: {
      insert: `insert into alerts (organization_id, kind, subject, message, first_at, last_at, resolved_at)
        values (:org, 'stream', :id, '', :at, :at, :at)`,
    },
    balance_history: {
      insert: `insert into balance_history (organization_id, service, account_id, purse, currency, as_of)
        values (:org, 'amazon', 'A', 'p', 'MXN', :at)`,
    },
    movements: {
      insert: `insert into movements (organization_id, marketplace, account_id, report, key, revision, is_correction, connection_id, kind, amount, currency, at, native_type, is_open, recorded_at)
        values (:org, 'amazon', 'A', 'r', :id, 0, false, :org, 'sale', 1, 'MXN', :at, '', false, :at)`,
    },
    ledger_orders: {
      insert: `insert into ledger_orders (organization_id, marketplace, account_id, order_id, changed_at)
        values (:org, 'amazon', 'A', :id, :at)`,
    },
    findings: {
      insert: `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state, amount, currency, since, found_at, changed_at)
        values (:org, :id, 'amazon', 'A', 'order_unpaid', :id, 'resolved', 1, 'MXN', :at, :at, :at)`,
    },
    stock_levels: {
      insert: `insert into stock_levels (organization_id, marketplace, account_id, item_id, warehouse, connection_id, title, unavailable, updated_at, seen_at, gone_at)
        values (:org, 'amazon', 'A', :id, 'seller', :org, '', 0, :at, :at, :at)`,
    },
    'stock_history, of what is gone': {
      table: 'stock_history',
      insert: `insert into stock_history (organization_id, marketplace, account_id, item_id, variation_id, warehouse, at, unavailable, is_gone)
        values (:org, 'amazon', 'A', :id, '', 'seller', :at, 0, true)`,
    },
    warehouse_lines: line('transferred'),
    'warehouse_lines, cancelled': line('cancelled'),
    warehouse_actions: {
      insert: `insert into warehouse_actions (organization_id, actor_kind, actor_id, actor_role, action, at, details)
        values (:org, 'person', :id, 'admin', 'edit', :at, '{}')`,
    },
    guide_batches: {
      insert: `insert into guide_batches (organization_id, id, idempotency_key, fingerprint, overrides, actor_kind, actor_id, actor_role, requested_at)
          values (:org, :id, :id, '', '{}', 'person', '', 'admin', :at);
        insert into guide_batch_lines (organization_id, batch_id, position, line_id) values (:org, :id, 1, :id)`,
    },
    'labels of guide_attempts': {
      table: 'guide_attempts',
      insert: `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, zpl, queued_at, settled_at)
        values (:org, :id, :id, :id, :id, 'ok', 'paquetexpress', 'MXN', '^XA', :at, :at)`,
    },
    'labels of guide_attempts, sealed': {
      table: 'guide_attempts',
      insert: `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, zpl_box, pdf_box, queued_at, settled_at)
        values (:org, :id, :id, :id, :id, 'ok', 'paquetexpress', 'MXN', 'box', 'box', :at, :at)`,
    },
    used_codes: {
      insert: `insert into people (id, name, email, email_verified, created_at, updated_at) values (:id, '', :id, true, :at, :at);
        insert into used_codes (person_id, code_hash, used_at) values (:id, :id, :at)`,
    },
    sign_in_failures: {
      insert: 'insert into sign_in_failures (key, count, since) values (:id, 1, :at)',
    },
    sign_in_limits: {
      insert: `insert into sign_in_limits (id, key, count, last_request)
        values (:id, :id, 1, extract(epoch from timestamptz :at) * 1000)`,
    },
    sessions: {
      insert: `insert into people (id, name, email, email_verified, created_at, updated_at) values (:id, '', :id, true, :at, :at);
        insert into sessions (id, person_id, token, expires_at, created_at, updated_at) values (:id, :id, :id, :at, :at, :at)`,
    },
    verifications: {
      insert: `insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
        values (:id, :id, '', :at, :at, :at)`,
    },
    invitations: {
      insert: `insert into invitations (organization_id, id, email, role, token_hash, created_at, expires_at)
        values (:org, :id, :id, 'member', :id, :at, :at)`,
    },
    people: {
      insert: `insert into people (id, name, email, created_at, updated_at) values (:id, '', :id, :at, :at)`,
    },
  };
}

async function left(at: TestApp, name: string, table: string): Promise<number> {
  const condition = name.startsWith('labels')
    ? 'where zpl is not null or zpl_box is not null or pdf_box is not null'
    : '';
  return (await query(at, `select from ${table} ${condition}`)).length;
}

async function keepInstance(at: TestApp): Promise<void> {
  await runHousekeeping(at.app.exchange);
}
