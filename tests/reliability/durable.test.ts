import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCaller } from './support/api.ts';
import { addressIn } from './support/carrier-address.ts';
import { makeFolder, openClient, openGround } from './support/ground.ts';
import {
  type Ending,
  eventually,
  follow,
  lastFirst,
  NO_REDIS,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized } from './support/profile.ts';

// What is answered with 200 outlives a power failure: the kernel was asked to write it to the disk
// before. A kill does not show that. The calls of the service and its database are traced.

const EVENTS = sized({ small: 50, quick: 200, long: 2_000 });
const TRACED = 'fdatasync,fsync,write,writev';

test('each webhook is on the disk before its 200', {
  skip: whyNot(),
  timeout: 120_000 + EVENTS * 200,
}, async (t) => {
  const own = lastFirst(t);
  const ground = await openGround(own);
  const place = await ground.place();
  const address = await addressIn(place);
  // No jobs run beside the receiver, whose commits would also be traced.
  const env = { ...place, ROLE: 'api', REDIS_URL: NO_REDIS };
  const instance = await startInstance(own, env);
  const caller = openCaller(instance.url, null);
  own.after(caller.close);
  const send = (number: number) =>
    caller.post(
      address,
      JSON.stringify({
        rastreo: `8440${String(number).padStart(9, '0')}`,
        eventoId: 'TRN',
        fechahora: 1_794_690_649_000,
      }),
    );
  // Opens the sessions that are traced.
  for (let number = 0; number < 10; number++) assert.equal((await send(number)).status, 200);
  const service = instance.child.pid ?? 0;
  const trace = await startTrace(own, [
    service,
    ...(await sessionsOf(own, place.DATABASE_URL ?? '')),
  ]);

  for (let number = 10; number < 10 + EVENTS; number++)
    assert.equal((await send(number)).status, 200);
  const calls = await trace.stop();

  const { answers, early } = earlyAnswers(calls, service);
  assert.equal(answers, EVENTS, 'the answers were not traced');
  assert.equal(early, 0, `${early} of ${answers} answers came before their fdatasync`);
  reportFigure(
    t,
    `R5 fdatasync: ${answers} of ${answers} webhooks answered after the database wrote them to the disk`,
  );
});

/** How many answers of the service came without a finished fdatasync since the one before. */
function earlyAnswers(calls: readonly string[], service: number) {
  let answers = 0;
  let early = 0;
  let isWritten = false;
  for (const call of calls) {
    if (call.includes('sync') && call.endsWith(' = 0')) isWritten = true;
    if (!call.startsWith(`${service} `) || !call.includes('"HTTP/1.1 200')) continue;
    answers++;
    if (!isWritten) early++;
    isWritten = false;
  }
  return { answers, early };
}

/** The processes of the database server that are there now. */
async function sessionsOf(own: Ending, databaseUrl: string): Promise<number[]> {
  const client = await openClient(own, databaseUrl);
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
  return rows.map(({ pid }) => pid);
}

async function startTrace(own: Ending, pids: readonly number[]) {
  const file = join(makeFolder(own), 'calls');
  const strace = follow(
    own,
    spawn(
      'strace',
      [
        ...['-qq', '-s', '16', '-e', `trace=${TRACED}`, '-e', 'signal=none', '-o', file],
        ...pids.flatMap((pid) => ['-p', String(pid)]),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
  const isTracing = await eventually(() => pids.every(isTraced), 20_000);
  assert.ok(isTracing, strace.lines.join('\n'));
  return {
    async stop() {
      await strace.end('SIGINT');
      return readFileSync(file, 'utf8').split('\n');
    },
  };
}

function isTraced(pid: number): boolean {
  return !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

function whyNot(): string | false {
  const { status } = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']);
  return status === 0 ? false : 'needs strace, and the right to trace';
}
