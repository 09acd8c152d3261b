import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { eventually, type Running, startProgram } from './support/processes.ts';
import { sized, slow, tell, within } from './support/profile.ts';

// The fast tests of this promise are in tests/exports.test.ts.

const ORDERS = sized({ small: 20_000, quick: 100_000, long: 1_000_000 });
const KILLS = 5;
const NOTED_WITHIN_MS = within(60_000);

test('an export that is killed five times has the bytes of one that is not', {
  skip: slow,
}, async (t) => {
  const instance = await openApp(t);
  const folder = await aFolder(t);
  await fill(instance);
  const whole = join(folder, 'whole.csv');
  const told = await toTheEnd(startExport(t, instance, instance.organization.id, whole));

  const killed = join(folder, 'killed.csv');
  let rows = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const running = startExport(t, instance, instance.organization.id, killed);
    const hasMore = () => notedRows(killed) > rows;
    assert.ok(await eventually(hasMore, NOTED_WITHIN_MS), running.lines.join('\n'));
    await running.end('SIGKILL');
    assert.ok(!existsSync(killed), 'it was whole before it could be killed');
    rows = notedRows(killed);
  }
  const again = await toTheEnd(startExport(t, instance, instance.organization.id, killed));

  assert.equal(told.rows, ORDERS);
  assert.deepEqual(again, told);
  assert.equal(await digestOf(killed), await digestOf(whole));
  tell(t, `${ORDERS} orders exported over ${KILLS} kills: the ${again.bytes} bytes of no kill`);
});

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-exports-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** One order is recorded, and copied by the database. */
async function fill(instance: TestApp): Promise<void> {
  await instance.record([anOrder({ id: 'X0000000' })]);
  await instance.app.database.write((handle) =>
    handle.sql(
      `insert into orders
       select (jsonb_populate_record(one, jsonb_build_object('id', 'X' || lpad(number::text, 7, '0')))).*
         from orders one, generate_series(1, $2::int) number where one.organization_id = $1`,
      [instance.organization.id, ORDERS - 1],
    ),
  );
}

function startExport(t: TestContext, instance: TestApp, id: string, file: string): Running {
  const format = file.slice(file.lastIndexOf('.') + 1);
  const what = ['--what', 'orders', '--format', format, '--out', file, '--json'];
  return startProgram(t, 'src/cli.ts', ['export', '--organization', id, ...what], instance.env);
}

async function toTheEnd(running: Running): Promise<{ rows: number; bytes: number }> {
  assert.equal(await running.ended, 0, running.lines.join('\n'));
  return JSON.parse(running.lines.at(-1) ?? '');
}

/** How far the notes beside a part say that it is written. */
function notedRows(file: string): number {
  const notes = `${file}.part.json`;
  return existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')).rows : 0;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('hex');
}
