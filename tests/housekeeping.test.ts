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
import { DATED_ROWS } from './support/dated-rows.ts';
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

for (const [name, { insert, table = name }] of Object.entries(DATED_ROWS))
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

async function left(at: TestApp, name: string, table: string): Promise<number> {
  const condition = name.startsWith('labels')
    ? 'where zpl is not null or zpl_box is not null or pdf_box is not null'
    : '';
  return (await query(at, `select from ${table} ${condition}`)).length;
}

async function keepInstance(at: TestApp): Promise<void> {
  await runHousekeeping(at.app.exchange);
}
