import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { fillWithOrders, recordSome } from './support/many-orders.ts';
import { eventually, type Running, startProgram } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// The fast tests of this promise are in tests/exports.test.ts.

const ORDERS = sized({ small: 20_000, quick: 100_000, long: 1_000_000 });
const KILLS = 5;
/** A kill comes after so many equal parts of the file, the last one well before its end. */
const PARTS = KILLS + 2;
const FORMATS = ['ndjson', 'csv', 'xlsx', 'excel'];
const MEGABYTE = 1_000_000;
/** Far less than the promised 150, which an unbounded heap reaches with 100,000 orders alone. */
const MOST_MEGABYTES = 60;
const NOTED_WITHIN_MS = within(600_000);
/** A million orders as four files, on a machine of two cores. */
const LONGEST_MS = 3_600_000;
/** Some of each part of the file, and its last one. */
const CHANGED = [
  ...Array.from({ length: 10 }, (_, part) => Math.floor((part * ORDERS) / 10)),
  ORDERS - 1,
];

let opened: ReturnType<typeof openStage> | undefined;

test('an export that is killed five times, while orders change, has the bytes of one that is not', {
  timeout: LONGEST_MS,
}, async (t) => {
  const { instance, folder, shop } = await stage();
  const whole = join(folder, 'whole.csv');
  const reported = await toTheEnd(startExport(t, instance, instance.organization.id, whole));

  const killed = join(folder, 'killed.csv');
  for (let kill = 0; kill < KILLS; kill++) {
    const running = startExport(t, instance, instance.organization.id, killed);
    const isThere = () => notedRows(killed) >= ((kill + 1) * ORDERS) / PARTS;
    assert.ok(await eventually(isThere, NOTED_WITHIN_MS), running.lines.join('\n'));
    await running.end('SIGKILL');
    assert.ok(!existsSync(killed), 'it was whole before it could be killed');
    await recordSome(shop, CHANGED, kill + 2);
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
  timeout: LONGEST_MS,
}, async (t) => {
  const { instance, folder } = await stage();
  const { organization: empty } = await instance.tenant();

  for (const format of FORMATS) {
    const peaks: number[] = [];
    const began = performance.now();
    for (const id of [empty.id, instance.organization.id]) {
      const running = startExport(t, instance, id, join(folder, `${id}.${format}`));
      const peak = peakOf(running);
      await toTheEnd(running);
      peaks.push(await peak);
    }
    const [before = 0, during = 0] = peaks;
    const more = (during - before) / MEGABYTE;
    const seconds = (performance.now() - began) / 1_000;
    reportFigure(
      t,
      `${ORDERS} orders as ${format} in ${seconds.toFixed(0)} s: ${more.toFixed(0)} MB more than none`,
    );
    assert.ok(before > 0 && more <= MOST_MEGABYTES, `${format}: ${more} MB more`);
  }
});

/** One shop for both tests, since a million orders are stored for minutes. */
function stage() {
  opened ??= openStage();
  return opened;
}

async function openStage() {
  const instance = await openApp(WHOLE_FILE);
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-exports-'));
  WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true }));
  const shop = { database: instance.app.database, organizationId: instance.organization.id };
  await fillWithOrders(shop, ORDERS);
  return { instance, folder, shop };
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
