import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/platform/clock.ts';
import type { Handle } from '../../src/platform/db/database.ts';
import { statement } from '../../src/platform/db/query.ts';
import { soon } from '../spec/support/soon.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { runHere } from '../support/command.ts';
import { eventually, follow, lastFirst, MASTER_KEY } from './support/processes.ts';
import { within } from './support/profile.ts';
import { freePort } from './support/redis.ts';
import { noReplica, openServer } from './support/streaming.ts';
import { NO_LIMIT } from './support/tenants.ts';

// The service through the real PgBouncer, in transaction mode, as `deploy/pgbouncer/` has it.

const noPooler: string | false =
  noReplica || (spawnSync('pgbouncer', ['--version']).status !== 0 && 'needs pgbouncer');
/** Fewer than a process opens, so that sessions are given to one transaction after the other. */
const SESSIONS = 4;
const SHOWN = ['transaction_read_only', 'enable_seqscan', 'lock_timeout', 'TimeZone'];
const SHOW = statement<{ value: string }>(
  'test.pooler-show',
  'select current_setting($1) as value',
);
const CREATE = statement<object>('test.pooler-create', 'create table none ()');
// Less than the time-out of the statement itself.
const SLEEP = statement<object>('test.pooler-sleep', 'select pg_sleep(12)');
/** Those of the service itself last ran something else. */
const OF_POOLER = `select count(*)::int as count from pg_stat_activity
  where application_name = 'tianguis' and query in ('commit', 'rollback')`;
const CONFIGURATION = new URL('../../deploy/pgbouncer/pgbouncer.ini', import.meta.url);

test('through PgBouncer in transaction mode all is recorded, listed and notified, on fewer sessions than connections', {
  skip: noPooler,
  timeout: 300_000,
}, async (t) => {
  const { at, directUrl } = await setStage(t);
  const beside = await at.another('experto');

  const numbers = Array.from({ length: 40 }, (_, index) => index);
  await Promise.all(
    numbers.map((number) =>
      (number % 2 ? at : beside).record([anOrder({ id: `orden-${number}` })]),
    ),
  );
  const pages = await Promise.all(
    numbers.map(() => at.api('/v1/orders', { limit: 100, updated_since: '2020-01-01T00:00:00Z' })),
  );

  for (const { status, text, body } of pages) {
    assert.equal(status, 200, text);
    assert.equal(body.data.length, 20);
  }
  const one = await at.api('/v1/orders/orden-1');
  assert.equal(one.body.data.id, 'orden-1', one.text);
  const opened = at.app.database
    .connections()
    .reduce((sum, { idle, busy }) => sum + idle + busy, 0);
  assert.ok(opened > SESSIONS, `${opened} connections`);
  const [sessions] = await sql(directUrl, OF_POOLER);
  assert.ok(
    Number(sessions?.count) > 0 && Number(sessions?.count) <= SESSIONS,
    `${sessions?.count} sessions`,
  );
});

test('readers cannot write there, writers wait three seconds for a lock, and no setting stays in a session', {
  skip: noPooler,
  timeout: 300_000,
}, async (t) => {
  const { at } = await setStage(t);
  const { database } = at.app;
  const settings = async (handle: Handle) => {
    const values: unknown[] = [];
    for (const name of SHOWN) values.push((await handle.raw(SHOW, [name]))[0]?.value);
    return values;
  };

  for (let round = 0; round < 2 * SESSIONS; round++) {
    assert.deepEqual(await database.read(settings), ['on', 'off', '0', 'UTC']);
    assert.deepEqual(await database.write(settings), ['off', 'on', '3s', 'UTC']);
  }
  await assert.rejects(
    database.read((handle) => handle.raw(CREATE, [])),
    /read-only transaction/,
  );
});

test('a query of a closed request is cancelled in its own session', {
  skip: noPooler,
  timeout: 300_000,
}, async (t) => {
  const { at, directUrl } = await setStage(t);
  const leave = new AbortController();
  const asleep = () =>
    sql(
      directUrl,
      "select pid from pg_stat_activity where query like '%pg_sleep(12)%' and state = 'active' and pid <> pg_backend_pid()",
    );
  const query = at.app.database.read((handle) => handle.raw(SLEEP, []), { signal: leave.signal });
  const ended = assert.rejects(query);
  await soon(async () => assert.equal((await asleep()).length, 1));

  leave.abort();
  await ended;

  // Well before it would end by itself.
  await soon(async () => assert.deepEqual(await asleep(), []), 1_000);
  assert.equal((await at.api('/v1/me')).status, 200);
});

test('a command whose two addresses lead to two databases is refused, and changes neither', {
  skip: noPooler,
  timeout: 300_000,
}, async (t) => {
  const { pooledUrl, directUrl } = await setStage(t);
  const restored = new URL(directUrl);
  restored.pathname = '/restored';
  await sql(directUrl, 'create database restored');
  const asOf = ['after-restore', '--as-of', systemClock.now().subtract({ hours: 1 }).toString()];
  const env = { MASTER_KEY, DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: restored.href };

  const { code, stderr } = await runHere(asOf, env);

  assert.equal(code, 1);
  assert.match(stderr, /llevan a bases de datos distintas/);
  const tables = await sql(restored.href, "select from pg_tables where schemaname = 'public'");
  assert.equal(tables.length, 0);
});

interface Stage {
  readonly at: TestApp;
  readonly pooledUrl: string;
  readonly directUrl: string;
}

async function setStage(t: TestContext): Promise<Stage> {
  const end = lastFirst(t);
  const direct = await openServer(end);
  const port = await startPooler(end, new URL(direct.url));
  const pooled = new URL(direct.url);
  pooled.port = String(port);
  const at = await openApp(end as TestContext, {
    database: 'elsewhere',
    plan: 'experto',
    clock: { ...systemClock, advance() {} },
    env: { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: direct.url },
  });
  await at.setPlan('experto', NO_LIMIT);
  return { at, pooledUrl: pooled.href, directUrl: direct.url };
}

/** With the settings of `deploy/`, but for addresses, users and the number of sessions. */
async function startPooler(end: ReturnType<typeof lastFirst>, at: URL): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-pooler-'));
  end.after(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const changed: Readonly<Record<string, string>> = {
    tianguis: `host=${at.hostname} port=${at.port} dbname=tianguis`,
    listen_port: String(port),
    unix_socket_dir: folder,
    auth_type: 'any',
    auth_file: '',
    default_pool_size: String(SESSIONS),
    server_tls_sslmode: 'disable',
  };
  const text = readFileSync(CONFIGURATION, 'utf8').replace(
    /^(\w+) = .*$/gm,
    (line, name: string) => (name in changed ? `${name} = ${changed[name]}` : line),
  );
  const file = join(folder, 'pgbouncer.ini');
  const user = at.username;
  writeFileSync(
    file,
    text.replace('auth_file = \n', '').replace('dbname=tianguis', `dbname=tianguis user=${user}`),
  );
  chmodSync(file, 0o644);
  const as = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  if (as.length > 0) chownSync(folder, ...idsOf('postgres'));
  const running = follow(
    end,
    spawn('pgbouncer', [...as, file], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const url = new URL(at);
  url.port = String(port);
  const answers = () =>
    sql(url.href, 'select 1').then(
      () => true,
      () => false,
    );
  if (!(await eventually(answers, within(30_000), 50)))
    throw new Error(`PgBouncer did not start:\n${running.lines.join('\n')}`);
  return port;
}

function idsOf(user: string): [number, number] {
  const id = (flag: string) => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout);
  return [id('-u'), id('-g')];
}

async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
