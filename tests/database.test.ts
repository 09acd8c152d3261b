import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase, together } from '../src/platform/db/database.ts';
import { LOCK_KINDS } from '../src/platform/db/lock-kinds.ts';
import type { Lock } from '../src/platform/db/locks.ts';
import { statement } from '../src/platform/db/query.ts';
import { turnedClock } from './support/clock.ts';
import { addressOf, ownDatabase } from './support/server.ts';

// Statements arrive at PostgreSQL whole and in order; locks are exclusive, and end with their
// connection. Also runs on served PostgreSQL and Redis.

const OPTIONS = { clock: turnedClock(), readerTimeoutSeconds: 15, onIdleError: () => {} };
const database = openDatabase({ ...OPTIONS, address: addressOf(await ownDatabase()) });
after(database.close);

test('an array of anything else is cast in place without loss', async () => {
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

test('a list of texts arrives as it was sent, with any content', async () => {
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

test('of statements that travel together the one that failed is reported, and none of them stays', async () => {
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
    await together([
      handle.sql(...insert),
      handle.sql('select 1 / 0', []),
      handle.sql('select 1', []),
      slow,
    ]);
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

test('a deadlock deep inside work that travels together is repeated', {
  tags: ['slow'],
  timeout: 20_000,
}, async () => {
  await database.write((handle) =>
    handle.sql('create table tills (id int primary key, n int default 0)', []),
  );
  await database.write((handle) => handle.sql('insert into tills values (1), (2)', []));
  const add = 'update tills set n = n + 1 where id = $1';
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let attempts = 0;

  /**
   * Holds one row, then wants the other, which the other one holds: two levels below where others
   * are asked too.
   */
  const crosswise = (own: 0 | 1) =>
    database.write(async (handle) => {
      attempts++;
      await handle.sql(add, [own + 1]);
      met[own].resolve();
      await met[1 - own]?.promise;
      const inner = () => together([handle.sql(add, [2 - own]), handle.sql('select 1', [])]);
      await together([inner(), handle.sql('select 2', []), handle.sql('select 3', [])]);
    });
  await Promise.all([crosswise(0), crosswise(1)]);

  const rows = await database.write((handle) => handle.sql('select n from tills order by id', []));
  assert.deepEqual(rows, [{ n: 2 }, { n: 2 }]);
  assert.ok(attempts >= 3, `${attempts} attempts: the one that was cancelled came again`);
});

for (const [what, code, expected] of [
  ['a full disk', '53100', { code: 'service_unavailable' }],
  ['what the database refuses', '54000', { code: '54000' }],
] as const)
  test(`${what} deep inside work that travels together is reported as itself`, async () => {
    const refuse = `do $$ begin raise exception 'not stored' using errcode = '${code}'; end $$`;

    const writing = database.write(async (handle) => {
      const inner = () => together([handle.sql(refuse, []), handle.sql('select 1', [])]);
      await together([inner(), handle.sql('select 2', [])]);
    });

    await assert.rejects(writing, expected);
  });

test('a database whose disk was full is not writable for three seconds, and then is tried again', async (t) => {
  const clock = turnedClock();
  const own = openDatabase({ ...OPTIONS, clock, address: addressOf(await ownDatabase()) });
  t.after(own.close);
  const refuse = `do $$ begin raise exception 'not stored' using errcode = '53100'; end $$`;
  await own.checkWritable();

  await assert.rejects(own.write((handle) => handle.sql(refuse, [])));

  await assert.rejects(own.checkWritable(), /disk of the database is full/);
  clock.advance({ seconds: 3 });
  await own.checkWritable();
});

test('a database that reports an error of its device is away for that request, and answers the next one', async () => {
  const refuse = `do $$ begin raise exception 'could not write block' using errcode = 'io_error'; end $$`;
  const isAway = { code: 'service_unavailable', headers: { 'retry-after': '1' } };

  await assert.rejects(
    database.write((handle) => handle.sql(refuse, [])),
    isAway,
  );
  await assert.rejects(
    database.receipts.write((handle) => handle.sql(refuse, [])),
    isAway,
  );
  await database.write((handle) => handle.sql('select 1', []));
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
  const reported: number[] = [];

  await organization.writeOnce(async (scope) => {
    scope.afterCommit(() => reported.push(1));
    await scope.prepared(add, [1]);
  });
  const second = organization.writeOnce(async (scope) => {
    scope.afterCommit(() => reported.push(2));
    await scope.prepared(add, [2]);
    await scope.prepared(add, [3]);
  });

  await assert.rejects(second, /not in the transaction/);
  assert.deepEqual(reported, [1]);
  const rows = await database.read((handle) =>
    handle.raw(statement('test.all-alone', 'select n from alone order by n'), []),
  );
  assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
});

test('a lock keeps others waiting until its work ended, whichever way', {
  timeout: 20_000,
}, async () => {
  const lock = aLock();
  const reported: string[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();

  const first = database.locks.holding(lock, async () => {
    begun.resolve();
    await end.promise;
    reported.push('first');
    throw new Error('the first one failed');
  });
  const failed = assert.rejects(first, /the first one failed/);
  await begun.promise;
  const second = database.locks.holding(lock, async () => reported.push('second'));
  const other = database.locks.holding(aLock(), async () => reported.push('another'));
  assert.equal(
    await database.locks.holdingIfFree(lock, async () => reported.push('in between')),
    null,
  );
  await other;
  end.resolve();
  await Promise.all([failed, second]);

  assert.deepEqual(reported, ['another', 'first', 'second']);
  assert.equal(await database.locks.holdingIfFree(lock, async () => 'free'), 'free');
});

test('a lock keeps other processes waiting until its work ended', {
  timeout: 20_000,
}, async (t) => {
  const elsewhere = await openAnother(t);
  const lock = aLock();
  const reported: string[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();

  const here = database.locks.holding(lock, async () => {
    begun.resolve();
    await end.promise;
    reported.push('here');
  });
  await begun.promise;
  const there = elsewhere.locks.holding(lock, async () => reported.push('elsewhere'));
  // Its wait is in the way of none of its other locks.
  await elsewhere.locks.holding(aLock(), async () => reported.push('another'));
  assert.equal(await elsewhere.locks.holdingIfFree(lock, async () => 'taken'), null);
  end.resolve();
  await Promise.all([here, there]);

  assert.deepEqual(reported, ['another', 'here', 'elsewhere']);
  assert.equal(await database.locks.holdingIfFree(lock, async () => 'free'), 'free');
});

test('a lock that went with its connection is no longer held, and its work learns so', async () => {
  const lock = aLock();

  const next = await database.locks.holding(lock, async (assertHeld) => {
    assertHeld();
    await cutLocks();
    // The end of the socket is reported a moment later than the end of the session.
    const taken = await database.locks.holding(lock, async (assertTaken) => {
      assertTaken();
      return 'taken';
    });
    assert.throws(assertHeld, { code: 'service_unavailable' });
    return taken;
  });

  assert.equal(next, 'taken');
});

test('all locks of a process are lost with their one connection, and the next one opens another', async () => {
  const end = Promise.withResolvers<void>();
  const holds = Array.from({ length: 5 }, async () => {
    const begun = Promise.withResolvers<() => void>();
    const held = database.locks.holding(aLock(), async (assertHeld) => {
      begun.resolve(assertHeld);
      await end.promise;
    });
    return { held, assertHeld: await begun.promise };
  });
  const locks = await Promise.all(holds);
  for (const { assertHeld } of locks) assertHeld();
  assert.equal((await holders()).length, 1);

  await cutLocks();
  // The server ends the session before this process hears of it.
  const [first] = locks;
  for (let looks = 0; looks < 500 && !isLost(first?.assertHeld); looks++) await sleep(10);
  await database.locks.holding(aLock(), async (assertHeld) => assertHeld());
  for (const { assertHeld } of locks) assert.throws(assertHeld, { code: 'service_unavailable' });
  end.resolve();
  await Promise.all(locks.map(({ held }) => held));

  assert.deepEqual(await holders(), []);
});

test('two hundred locks at a time are held on one connection', async () => {
  const sessions = new Set<number>();
  const all = Promise.withResolvers<void>();
  let held = 0;
  await Promise.all(
    Array.from({ length: 200 }, () =>
      database.locks.holding(aLock(), async () => {
        if (++held === 200) {
          for (const pid of await holders()) sessions.add(pid);
          all.resolve();
        }
        await all.promise;
      }),
    ),
  );

  assert.equal(sessions.size, 1);
  assert.deepEqual(await holders(), []);
});

test('a closing process does not wait for a lock', { timeout: 20_000 }, async (t) => {
  const lock = aLock();
  const leaving = await openAnother(t);

  await database.locks.holding(lock, async () => {
    const waits = [
      leaving.locks.holding(lock, async () => {}),
      leaving.locks.holding(lock, async () => {}),
    ];
    const refused = waits.map((waiting) =>
      assert.rejects(waiting, { code: 'service_unavailable' }),
    );
    await eventually(async () => (await tries()) > 0);
    await leaving.close();
    await Promise.all(refused);
  });
});

function aLock(): Lock {
  return { kind: 'line', subject: crypto.randomUUID() };
}

/** The sessions that hold locks now. */
async function holders(): Promise<number[]> {
  const rows = await ask(
    `select distinct pid from pg_locks where locktype = 'advisory' and classid = ${LOCK_KINDS.line}
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid as number);
}

/** How many other sessions asked last for a lock and did not get it. */
async function tries(): Promise<number> {
  const held = await holders();
  const rows = await ask(
    `select pid from pg_stat_activity
      where datname = current_database() and state = 'idle' and query like 'select pg_try_advisory_lock(%'`,
  );
  return rows.filter(({ pid }) => !held.includes(pid as number)).length;
}

function isLost(assertHeld: (() => void) | undefined): boolean {
  try {
    assertHeld?.();
    return false;
  } catch {
    return true;
  }
}

async function cutLocks(): Promise<void> {
  for (const pid of await holders()) await ask(`select pg_terminate_backend(${pid}, 10000)`);
}

function ask(text: string): Promise<Record<string, unknown>[]> {
  return database.write((handle) => handle.sql(text, [])) as Promise<Record<string, unknown>[]>;
}

async function openAnother(t: TestContext): Promise<Database> {
  const another = openDatabase({ ...OPTIONS, address: addressOf(await ownDatabase()) });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await another.close();
    isOpen = false;
  };
  t.after(close);
  return { ...another, close };
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10);
}
