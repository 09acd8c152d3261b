import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { eventually, type Running, startProgram } from './support/processes.ts';
import { reportFigure, sized, slow, within } from './support/profile.ts';

// The fast tests of this promise are in tests/exports.test.ts.

/** A test has five minutes, in which a million orders are not written. */
const ORDERS = sized({ small: 20_000, quick: 100_000, long: 300_000 });
const KILLS = 5;
const FORMATS = ['ndjson', 'csv', 'xlsx'];
const MEGABYTE = 1_000_000;
/** Far less than the promised 150, which an unbounded heap reaches with 100,000 orders alone. */
const MOST_MEGABYTES = 60;
const NOTED_WITHIN_MS = within(60_000);

test('an export that is killed five times, while orders change, has the bytes of one that is not', {
  skip: slow,
}, async (t) => {
  const instance = await openApp(t);
  const folder = await aFolder(t);
  await fill(instance);
  const whole = join(folder, 'whole.csv');
  const reported = await toTheEnd(startExport(t, instance, instance.organization.id, whole));

  const killed = join(folder, 'killed.csv');
  let rows = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const running = startExport(t, instance, instance.organization.id, killed);
    const hasMore = () => notedRows(killed) > rows;
    assert.ok(await eventually(hasMore, NOTED_WITHIN_MS), running.lines.join('\n'));
    await running.end('SIGKILL');
    assert.ok(!existsSync(killed), 'it was whole before it could be killed');
    rows = notedRows(killed);
    await changeOrders(instance, kill);
  }
  const again = await toTheEnd(startExport(t, instance, instance.organization.id, killed));

  assert.equal(reported.rows, ORDERS);
  assert.deepEqual(again, reported);
  assert.equal(await digestOf(killed), await digestOf(whole));
  reportFigure(
    t,
    `${ORDERS} orders exported over ${KILLS} kills: the ${again.bytes} bytes of no kill`,
  );
});

test('an export needs no more memory for more orders', {
  skip: slow,
}, async (t) => {
  const instance = await openApp(t);
  const folder = await aFolder(t);
  const { organization: empty } = await instance.tenant();
  await fill(instance);

  for (const format of FORMATS) {
    const peaks: number[] = [];
    for (const id of [empty.id, instance.organization.id]) {
      const running = startExport(t, instance, id, join(folder, `${id}.${format}`));
      const peak = peakOf(running);
      await toTheEnd(running);
      peaks.push(await peak);
    }
    const [before = 0, during = 0] = peaks;
    const more = (during - before) / MEGABYTE;
    reportFigure(t, `${ORDERS} orders as ${format}: ${more.toFixed(0)} MB more than none`);
    assert.ok(before > 0 && more <= MOST_MEGABYTES, `${format}: ${more} MB more`);
  }
});

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-exports-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function idOf(at: number): string {
  return `X${String(at).padStart(7, '0')}`;
}

/** One order is recorded, and copied by the database. */
async function fill(instance: TestApp): Promise<void> {
  await instance.record([anOrder({ id: idOf(0) })]);
  await instance.app.database.write((handle) =>
    handle.sql(
      `insert into orders
       select (jsonb_populate_record(one, jsonb_build_object('id', 'X' || lpad(number::text, 7, '0')))).*
         from orders one, generate_series(1, $2::int) number where one.organization_id = $1`,
      [instance.organization.id, ORDERS - 1],
    ),
  );
}

/** Some of each part of the file, and its last one. */
async function changeOrders(instance: TestApp, time: number): Promise<void> {
  const places = Array.from({ length: 10 }, (_, part) => Math.floor((part * ORDERS) / 10));
  const total = decimal(String(1_000 + time));
  await instance.record([...places, ORDERS - 1].map((at) => anOrder({ id: idOf(at), total })));
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

/** The most bytes that the process had in memory, as the kernel counts them until it ends. */
async function peakOf({ child, hasEnded }: Running): Promise<number> {
  let peak = 0;
  while (!hasEnded()) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /VmHWM:\s+(\d+)/.exec(status)?.[1];
    if (kilobytes) peak = Number(kilobytes) * 1024;
    await sleep(20);
  }
  return peak;
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
