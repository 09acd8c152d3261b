import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { recordOrders } from '../src/features/orders/index.ts';
import { createOrganization } from '../src/features/organizations/index.ts';
import { type Database, openDatabase, type WriteScope } from '../src/platform/db/database.ts';
import { runCommand } from './reliability/support/commands.ts';
import { makeFolder } from './reliability/support/ground.ts';
import { lastFirst, NO_REDIS } from './reliability/support/processes.ts';
import { anOrder, callApi, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { addressOf, freshDatabase } from './support/server.ts';

// How processes hear that an organisation's delta clock moved: after the commit, and soon in any
// case. Also runs on served PostgreSQL and Redis.

const WRITERS = 64;
const PROCESSES = 6;
const ROUNDS = 20;
/**
 * Looks for 50 ms at the sessions that wait for the lock of NOTIFY, in the server: a wait is shorter
 * than the way to a client and back. The processes' senders may wait for each other: they hold no
 * other lock. A look reads a session's statement before its wait, so a second look says which
 * statement waited.
 */
const WATCH = `create function pg_temp.watch(out waits int, out looks int) as $$
  declare
    until constant timestamptz := clock_timestamp() + interval '50 ms';
    waiting int[];
  begin
    waits := 0;
    looks := 0;
    while clock_timestamp() < until loop
      perform pg_stat_clear_snapshot();
      select array_agg(pid) into waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'object'
          and query not like '%pg_notify(''clock''%';
      if waiting is not null then
        perform pg_stat_clear_snapshot();
        waits := waits + (select count(*) from pg_stat_activity
          where pid = any (waiting) and query not like '%pg_notify(''clock''%');
      end if;
      looks := looks + 1;
    end loop;
  end
  $$ language plpgsql`;

test(`${WRITERS} writers of ${WRITERS} organisations: none waits for the lock of notices`, {
  tags: ['slow'],
}, async (t) => {
  const name = await freshDatabase();
  const client = await listen(t, name);
  const databases = Array.from({ length: PROCESSES }, () => openAt(t, name));
  const organizations = await Promise.all(
    Array.from({ length: WRITERS }, (_, index) =>
      organizationIn(databases[index % PROCESSES] as Database),
    ),
  );
  await client.query(WATCH);
  let isOver = false;
  const watching = (async () => {
    const seen = { waits: 0, looks: 0 };
    while (!isOver) {
      const { rows } = await client.query<typeof seen>('select * from pg_temp.watch()');
      seen.waits += rows[0]?.waits ?? 0;
      seen.looks += rows[0]?.looks ?? 0;
    }
    return seen;
  })();

  await Promise.all(
    organizations.map(async (id, index) => {
      const organization = (databases[index % PROCESSES] as Database).within(id);
      for (let round = 0; round < ROUNDS; round++)
        await organization.write((scope) => recordOrders(scope, [anOrder({ id: `${round}` })]));
    }),
  );
  isOver = true;
  const { waits, looks } = await watching;

  assert.ok(looks > 20, `only ${looks} looks`);
  assert.equal(waits, 0, `sessions that waited for it, seen in ${looks} looks`);
});

test('a notice leaves after the commit, never before, and what is rolled back leaves none', async (t) => {
  const name = await freshDatabase();
  const client = await listen(t, name);
  const database = openAt(t, name);
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  const [id, other] = await Promise.all([organizationIn(database), organizationIn(database)]);

  const undone = database.within(other).write(async (scope) => {
    await recordOrders(scope, [anOrder()]);
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  await database.within(id).write(async (scope) => {
    await recordOrders(scope, [anOrder()]);
    // Longer than notices are gathered.
    await sleep(100);
    await client.query('select 1');
    assert.deepEqual(heard, []);
  });
  await until(() => heard.length > 0);

  const stamp = await client.query('select stamp::text as stamp from delta_clocks');
  assert.equal(stamp.rows.length, 1);
  const [line = ''] = heard;
  const [subject, value = ''] = line.split(' ');
  assert.equal(subject, id);
  assert.ok(Temporal.Instant.from(value).equals(Temporal.Instant.from(stamp.rows[0].stamp)));
});

test('a process that closes sends what it gathered first', async (t) => {
  const name = await freshDatabase();
  const client = await listen(t, name);
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  const database = openAt(t, name);
  const id = await organizationIn(database);

  await database.within(id).write((scope) => recordOrders(scope, [anOrder()]));
  await database.close();
  await client.query('select 1');

  assert.deepEqual(
    heard.map((line) => line.split(' ')[0]),
    [id],
  );
});

test('what a command recorded is served by the running instance, whose memory of the clock hears of it', async (t) => {
  const end = lastFirst(t);
  const at = await openApp(end, { database: await freshDatabase() });
  await at.record([anOrder({ id: '1' })]);
  assert.deepEqual(await changedSince(at), ['1']);
  const file = join(makeFolder(end), 'orders.ndjson');
  const order = { ...(await at.api('/v1/orders/1')).body.data, id: '2' };
  writeFileSync(file, `${JSON.stringify(order)}\n`);

  await runCommand(at.env, ['import-orders', '--organization', at.organization.id, file]);

  // The clock of this instance is stopped, so what it remembers does not grow old.
  await until(async () => (await changedSince(at)).length === 2);
});

test('a change whose notice was lost is seen by other processes two seconds later', async (t) => {
  const end = lastFirst(t);
  const clock = turnedClock();
  const first = await openApp(end, {
    clock,
    database: await freshDatabase(),
    env: { REDIS_URL: NO_REDIS },
  });
  const second = await openApp(end, { clock, env: first.env });
  const { organization } = first;
  await first.record([anOrder({ id: '1' })]);
  await until(async () => (await changedSince(second, first.key)).length === 1);
  const asOf = (await callApi(second.url, '/v1/orders', {}, { key: first.key })).body.meta.as_of;
  const news = async () => (await changedSince(second, first.key, asOf)).length;
  assert.equal(await news(), 0);

  // As by a process that dies right after its commit.
  await first.app.database
    .within(organization.id)
    .write((scope) => recordOrders(withoutNotice(scope), [anOrder({ id: '2' })]));
  assert.equal(await news(), 0, 'answered from memory');
  clock.advance({ seconds: 2 });

  assert.equal(await news(), 1);
});

test('what is heard again and again does not keep a memory of the clock young', async (t) => {
  const at = await openApp(t, { database: await freshDatabase() });
  await at.record([anOrder({ id: '1' })]);
  assert.deepEqual(await changedSince(at), ['1']);
  const { id } = at.organization;
  const [{ stamp } = { stamp: '' }] = (await at.app.database.write((handle) =>
    handle.sql('select stamp::text as stamp from delta_clocks', []),
  )) as { stamp: string }[];
  const asOf = (await at.api('/v1/orders')).body.meta.as_of;
  await at.app.database
    .within(id)
    .write((scope) => recordOrders(withoutNotice(scope), [anOrder({ id: '2' })]));

  for (let second = 0; second < 2; second++) {
    at.clock.advance({ seconds: 1 });
    const old = Temporal.Instant.from(stamp).toString();
    await at.app.database.write((handle) =>
      handle.sql("select pg_notify('clock', $1)", [`${id} ${old}`]),
    );
    await sleep(50);
  }

  assert.deepEqual(await changedSince(at, at.key, asOf), ['2']);
});

function withoutNotice(scope: WriteScope): WriteScope {
  return { ...scope, handle: { ...scope.handle, notifyAfterCommit() {} } };
}

async function changedSince(
  at: TestApp,
  key = at.key,
  since = '2000-01-01T00:00:00Z',
): Promise<string[]> {
  const { body } = await callApi(at.url, '/v1/orders', { updated_since: since }, { key });
  return body.data.map(({ id }: { id: string }) => id);
}

function openAt(t: TestContext, name: string): Database {
  const database = openDatabase({
    address: addressOf(name),
    clock: turnedClock(),
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await database.close();
    isOpen = false;
  };
  t.after(close);
  return { ...database, close };
}

async function organizationIn(database: Database): Promise<string> {
  const given = { name: 'Tienda', plan: 'experto' as const };
  const { id } = await database.write((handle) => createOrganization(handle, turnedClock(), given));
  return id;
}

async function listen(t: TestContext, name: string): Promise<pg.Client> {
  const address = addressOf(name);
  const client = new pg.Client(
    'url' in address ? { connectionString: address.url } : { ...address },
  );
  await client.connect();
  t.after(() => client.end());
  await client.query('listen clock');
  return client;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    assert.ok(looks < 500, 'it did not come about');
    await sleep(10);
  }
}
