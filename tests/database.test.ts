import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase, together } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/query.ts';
import { turnedClock } from './support/clock.ts';
import { addressOf, ownDatabase, someoneWaits } from './support/server.ts';

// What the house asks of PostgreSQL at a time arrives whole and in order.

const database = openDatabase({
  address: addressOf(await ownDatabase()),
  clock: turnedClock(),
  readerTimeoutSeconds: 15,
  onIdleError: () => {},
});
after(database.close);

test('an array of anything else is cast where it stands, and nothing in it is lost', async () => {
  const organizationId = crypto.randomUUID();
  const All = statement<object>(
    'test.all',
    `select id, paid::text, total::text, (at at time zone 'UTC')::text as at, open
       from unnest($2::uuid[], $3::bigint[], $4::numeric[], $5::timestamptz[], $6::boolean[])
              as list (id, paid, total, at, open)
      where $1::uuid = any($2::uuid[])`,
  );
  const at = Temporal.Instant.from('2026-11-21T01:02:03.123456Z');

  const rows = await database.within(organizationId).read((scope) =>
    scope.prepared(All, [
      [organizationId, null],
      [9_007_199_254_740_991, -1],
      ['123456789012345.000001', undefined],
      [at, at.toString()],
      [true, false],
    ]),
  );

  assert.deepEqual(rows, [
    {
      id: organizationId,
      paid: '9007199254740991',
      total: '123456789012345.000001',
      at: '2026-11-21 01:02:03.123456',
      open: true,
    },
    { id: null, paid: '-1', total: null, at: '2026-11-21 01:02:03.123456', open: false },
  ]);
});

test('a list of texts arrives as it was sent, whatever stands in it', async () => {
  const lists = [
    [
      '{"a":"\\"x\\\\"}',
      "it's, {NULL}",
      '',
      null,
      'NULL',
      'línea\n\ttabulador',
      '🌮 ñandú',
      'x'.repeat(100_000),
    ],
    [null, null],
    [],
  ];
  const Echo = statement<{ place: number; text: string | null }>(
    'test.echo',
    'select place, text from unnest($1::text[]) with ordinality as list (text, place) order by place',
  );

  for (const list of lists) {
    const rows = await database.read((handle) => handle.raw(Echo, [list]));

    assert.deepEqual(
      rows.map(({ text }) => text),
      list,
    );
  }
});

test('statements that travel together run in their order', async () => {
  const seen = await database.write(async (handle) => {
    const [, , rows] = await together([
      handle.sql('create temporary table steps (step integer) on commit drop', []),
      handle.sql('insert into steps values (1)', []),
      handle.sql('select step from steps', []),
    ]);
    return rows;
  });

  assert.deepEqual(seen, [{ step: 1 }]);
});

test('of statements that travel together the one that failed is told, and none of them stays', async () => {
  const name = 'La que no se guarda';
  const insert = [
    `insert into organizations (id, public_id, name, plan, created_at)
     values (gen_random_uuid(), $1, $1, 'experto', now())`,
    [name],
  ] as const;
  let reached = false;

  const writing = database.write(async (handle) => {
    const slow = (async () => {
      await handle.sql('select 1', []);
      await handle.sql('select 2', []);
      reached = true;
    })();
    await together([handle.sql(...insert), handle.sql('select 1 / 0', []), handle.sql('select 1', []), slow]);
  });

  await assert.rejects(writing, { code: '22012' });
  assert.equal(reached, false);
  const rows = await database.write((handle) =>
    handle.sql('select 1 from organizations where name = $1', [name]),
  );
  assert.deepEqual(rows, []);
});

test('a transaction that lost a statement unheard is no success, and nothing follows from it', async () => {
  let followed = false;

  const writing = database.write(async (handle) => {
    handle.afterCommit(() => {
      followed = true;
    });
    await handle.sql('select 1 / 0', []).catch(() => {});
  });

  await assert.rejects(writing, /rolled back/);
  assert.equal(followed, false);
});

test('a row of texts is the same inside a transaction', async () => {
  const Row = statement('test.row', "select $1::uuid::text, 1.50::text, null::text, E'ñ\\n🌮', ''");
  const organizationId = crypto.randomUUID();
  const within = database.within(organizationId);

  const read = await within.read((scope) => scope.texts(Row, []));
  const written = await within.write((scope) => scope.texts(Row, []));

  assert.deepEqual(read, [[organizationId, '1.50', null, 'ñ\n🌮', '']]);
  assert.deepEqual(written, read);
});

test('a statement that fails leaves the connection whole', async () => {
  const Divided = statement('test.divided', 'select (1 / $2::int)::text, $1::uuid::text');
  const within = database.within(crypto.randomUUID());

  for (const divisor of [0, 1, 0, 1])
    if (divisor === 0)
      await assert.rejects(
        within.read((scope) => scope.texts(Divided, [divisor])),
        /zero/,
      );
    else assert.equal((await within.read((scope) => scope.texts(Divided, [divisor])))[0]?.[0], '1');
});

test('a write of one statement is whole by itself, and has no second one', async () => {
  const organization = database.within('00000000-0000-4000-8000-000000000001');
  await database.write((handle) => handle.sql('create table alone (organization uuid, n int)', []));
  const add = statement<object>('test.alone', 'insert into alone values ($1, $2)');
  const told: number[] = [];

  await organization.writeOnce(async (scope) => {
    scope.afterCommit(() => told.push(1));
    await scope.prepared(add, [1]);
  });
  const second = organization.writeOnce(async (scope) => {
    scope.afterCommit(() => told.push(2));
    await scope.prepared(add, [2]);
    await scope.prepared(add, [3]);
  });

  await assert.rejects(second, /not in the transaction/);
  assert.deepEqual(told, [1]);
  const rows = await database.read((handle) =>
    handle.raw(statement('', 'select n from alone order by n'), []),
  );
  assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
});

test('a lock keeps others waiting until its work ended, whichever way', { timeout: 20_000 }, async () => {
  const lock = { kind: 1, subject: 'awaited' };
  const told: string[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();

  const first = database.locks.holding(lock, async () => {
    begun.resolve();
    await end.promise;
    told.push('first');
    throw new Error('the first one failed');
  });
  const failed = assert.rejects(first, /the first one failed/);
  await begun.promise;
  const second = database.locks.holding(lock, async () => told.push('second'));
  const other = database.locks.holding({ ...lock, subject: 'another' }, async () => told.push('another'));
  assert.equal(await database.locks.holdingIfFree(lock, async () => told.push('in between')), null);
  await other;
  end.resolve();
  await Promise.all([failed, second]);

  assert.deepEqual(told, ['another', 'first', 'second']);
  assert.equal(await database.locks.holdingIfFree(lock, async () => 'free'), 'free');
});

test('a lock that went with its connection is no longer held, and whoever works under it is told', async () => {
  const lock = { kind: 2, subject: 'lost' };
  const end = `select pg_terminate_backend(pid, 10000) from pg_locks where locktype = 'advisory' and classid = 2
      and database = (select oid from pg_database where datname = current_database())`;

  const next = await database.locks.holding(lock, async (assertHeld) => {
    assertHeld();
    await database.write((handle) => handle.sql(end, []));
    // The end of the socket is told a moment later than the end of the session.
    const taken = await database.locks.holding(lock, async (assertTaken) => {
      assertTaken();
      return 'taken';
    });
    assert.throws(assertHeld, { code: 'service_unavailable' });
    return taken;
  });

  assert.equal(next, 'taken');
});

test('locks one after the other are held on the same connection', async () => {
  const sessions = new Set<number>();
  const holder = `select pid from pg_locks where locktype = 'advisory' and classid = 3
      and database = (select oid from pg_database where datname = current_database())`;
  for (const subject of ['one', 'two', 'three'])
    await database.locks.holding({ kind: 3, subject }, async () => {
      const rows = (await database.write((handle) => handle.sql(holder, []))) as { pid: number }[];
      for (const { pid } of rows) sessions.add(pid);
    });

  assert.equal(sessions.size, 1);
});

test('who waits for a lock does not keep the house from closing', { timeout: 20_000 }, async () => {
  const lock = { kind: 4, subject: 'awaited' };
  const leaving = openDatabase({
    address: addressOf(await ownDatabase()),
    clock: turnedClock(),
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });

  await database.locks.holding(lock, async () => {
    const waiting = assert.rejects(
      leaving.locks.holding(lock, async () => {}),
      { code: 'service_unavailable' },
    );
    await someoneWaits(database);
    await leaving.close();
    await waiting;
  });
});
