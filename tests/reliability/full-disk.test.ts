import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressIn } from './support/carrier-address.ts';
import { isAlive, makeFolder, openClient, quit, urlOf } from './support/ground.ts';
import { openLoad, tally } from './support/load.ts';
import { type Ending, endOf, eventually, lastFirst, startInstance } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// The disk of the embedded database is a small one in memory, which the test fills and empties.

const FULL_FOR_MS = sized({ small: 8_000, quick: 60_000, long: 300_000 });
const BACK_WITHIN_MS = within(5_000);
const SENDERS = 6;
const DISK_MB = 400;
const skip = whyNot();

test('on a full disk nothing is accepted that is not kept, and all goes on within 5 s of space', {
  skip,
  timeout: 400_000 + FULL_FOR_MS,
}, async (t) => {
  const own = lastFirst(t);
  const disk = makeDisk(own);
  const env = { DATA_DIR: join(disk.folder, 'data') };
  const address = await addressIn(env);
  const instance = await startInstance(own, env);
  own.after(() => instance.end('SIGTERM'));
  const accepted: string[] = [];
  const load = openLoad(instance.url, null, SENDERS, async (caller, number) => {
    const rastreo = `8330${String(number).padStart(9, '0')}`;
    const event = {
      rastreo,
      eventoId: 'TRN',
      fechahora: 1_794_690_649_000,
      nota: 'x'.repeat(2_000),
    };
    const answer = await caller.post(address, JSON.stringify(event));
    if (answer.status === 200) accepted.push(rastreo);
    else await sleep(20);
    return answer;
  });
  await eventually(() => accepted.length > 100, within(20_000));

  disk.fill();
  const isNoticedSoon = await eventually(
    async () => (await readiness(instance.url)) === 503,
    within(5_000),
  );
  const fullUntil = performance.now() + FULL_FOR_MS;
  let lastAccepted = accepted.length;
  const whileFull: number[] = [];
  while (performance.now() < fullUntil) {
    disk.fill();
    whileFull.push(await readiness(instance.url));
    await sleep(250);
    lastAccepted = accepted.length;
  }
  disk.empty();
  const emptiedAt = performance.now();
  const isBack = await eventually(
    async () => accepted.length > lastAccepted && (await readiness(instance.url)) === 200,
    BACK_WITHIN_MS,
  );
  const backAfter = Math.round(performance.now() - emptiedAt);
  await sleep(500);
  const { 200: taken, 503: refused = 0, ...others } = tally(await load.stop());

  assert.ok(isNoticedSoon, 'readyz says 200 on a full disk');
  assert.deepEqual([...new Set(whileFull)], [503]);
  assert.ok(isBack, `not back ${backAfter} ms after there was space`);
  assert.deepEqual(others, {}, instance.lines.slice(-20).join('\n'));
  assert.ok(refused > 0, 'nothing was refused: the disk was not full');
  const socket = join(env.DATA_DIR, 'postgres/socket');
  const client = await openClient(
    own,
    urlOf({ host: socket, port: 5432, user: 'tianguis', database: 'tianguis' }),
  );
  const { rows } = await client.query<{ id: string }>(
    'select tracking_number as id from carrier_receipts',
  );
  const kept = new Set(rows.map(({ id }) => id));
  assert.deepEqual(
    accepted.filter((id) => !kept.has(id)),
    [],
    'accepted events are lost',
  );
  reportFigure(
    t,
    `R4 full disk for ${FULL_FOR_MS / 1_000} s under ${SENDERS} senders: ${taken} events accepted, 0 lost, ${refused} × 503, ` +
      `/readyz 503 all the time, back ${backAfter} ms after there was space`,
  );
});

test('a service that stops on a full disk leaves no PostgreSQL behind', {
  skip,
}, async (t) => {
  const own = lastFirst(t);
  const disk = makeDisk(own);
  const env = { DATA_DIR: join(disk.folder, 'data') };
  const instance = await startInstance(own, env);
  const pidFile = join(env.DATA_DIR, 'postgres/cluster/postmaster.pid');
  const postgres = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  own.after(() => isAlive(postgres) && quit(pidFile));
  await eventually(async () => (await readiness(instance.url)) === 200, within(5_000));
  disk.fill();

  instance.child.kill('SIGTERM');
  const code = await endOf(instance, 30_000);

  assert.equal(isAlive(postgres), false, 'PostgreSQL runs on as an orphan');
  assert.equal(code, 0, instance.lines.slice(-10).join('\n'));
  disk.empty();
  const again = await startInstance(own, env);
  own.after(() => again.end('SIGTERM'));
  assert.equal(await readiness(again.url), 200);
});

test('a database that is gone is reported, refuses what would be lost, and is raised again', {}, async (t) => {
  const own = lastFirst(t);
  const env = { DATA_DIR: makeFolder(own) };
  const address = await addressIn(env);
  const instance = await startInstance(own, env);
  own.after(() => instance.end('SIGTERM'));
  const cluster = join(env.DATA_DIR, 'postgres/cluster');
  const event = { rastreo: '8330000000001', eventoId: 'TRN', fechahora: 1_794_690_649_000 };
  const push = async () =>
    (await fetch(new URL(address, instance.url), { method: 'POST', body: JSON.stringify(event) }))
      .status;

  // Its folder is away, so it cannot be raised until it is back.
  await quit(join(cluster, 'postmaster.pid'));
  execFileSync('mv', [cluster, `${cluster}-away`]);
  const answers = [await readiness(instance.url), await push()];
  const isReported = () => instance.lines.some((line) => line.includes('cannot be raised'));
  await eventually(() => isReported() || existsSync(cluster), within(20_000));
  answers.push(await readiness(instance.url), await push());
  assert.equal(existsSync(cluster), false, 'an empty database took its place');
  execFileSync('mv', [`${cluster}-away`, cluster]);
  const isBack = await eventually(
    async () => (await readiness(instance.url)) === 200,
    BACK_WITHIN_MS * 2,
  );

  assert.deepEqual(answers, [503, 503, 503, 503]);
  assert.ok(isBack, 'the database was not raised again');
  assert.equal(await push(), 200);
});

interface Disk {
  readonly folder: string;
  /** Takes all that is free. */
  fill(): void;
  empty(): void;
}

function makeDisk(own: Ending): Disk {
  const folder = makeFolder(own);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder]);
  own.after(() => execFileSync('umount', ['--lazy', folder]));
  const filler = join(folder, 'filler');
  const megabyte = Buffer.alloc(1024 * 1024);
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (let size = megabyte.length; size >= 4_096; size >>= 1)
          writeWhileItFits(file, megabyte.subarray(0, size));
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
  };
}

function writeWhileItFits(file: number, piece: Buffer): void {
  for (;;) {
    try {
      if (writeSync(file, piece) < piece.length) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      return;
    }
  }
}

async function readiness(url: string): Promise<number> {
  return (await fetch(new URL('/readyz', url))).status;
}

function whyNot(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Linux can mount a small disk';
  const folder = makeFolder({ after: () => {} });
  const tried = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (tried.status === 0) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return tried.status === 0 ? false : `a small disk cannot be mounted here: ${tried.stderr.trim()}`;
}
