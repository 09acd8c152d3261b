import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { MIGRATIONS, type Migration } from '../src/platform/db/migrations/index.ts';
import { HOME, TENANT } from '../src/platform/db/table-homes.ts';
import {
  type Ending,
  endOf,
  eventually,
  lastFirst,
  launchInstance,
  NO_REDIS,
} from './reliability/support/processes.ts';
import { reportFigure } from './reliability/support/profile.ts';
import { environmentOf } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { faultsOf } from './support/online-migrations.ts';
import { addressOf, atServer, freshDatabase, someoneWaits } from './support/server.ts';

// Migrations while other processes read and write, some of them of the former release.
// Also runs on served PostgreSQL and Redis.

const OF_ORGANIZATIONS = new Set<string>(TENANT);
const OF_COORDINATOR = new Set<string>(HOME);

/** Those up to this one were made before the rules, for installations with few rows. */
const LAST_UNRULED = '0049-timezones';

/**
 * Migrations that break a rule, with the reason. What takes long with many rows is a step of the
 * housekeeping instead; what the former release uses is removed one release later.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '0051-sealed-addresses':
    'guide_attempts.raw had addresses of buyers in clear, which go at once; before the first release',
  '0057-alert-mails':
    'alerts are few, a handful for each organisation, and go 180 days after they are resolved',
  '0075-search-terms':
    'delta_clocks has one row for each organisation; they are read without a lock',
  '0091-requested-cancellations':
    'the same, with one look-up by the key of the orders for each organisation',
};

/**
 * On several servers a table of organisations is changed on each of them: one that is away must not
 * stop a change of the coordinator's own tables. The last one that was made before this rule.
 */
const LAST_MIXED = '0062-movements-of-three';

test('a migration neither holds up who reads and writes nor breaks the former release', {
  tags: ['slow'],
}, async (t) => {
  const ruled = MIGRATIONS.slice(1 + MIGRATIONS.findIndex(({ name }) => name === LAST_UNRULED));
  const client = await migratedUntil(lastFirst(t), LAST_UNRULED);
  const faults: string[] = [];
  for (const migration of ruled) {
    const found = await faultsOf(client, migration);
    if (!(migration.name in EXCEPTIONS))
      faults.push(...found.map((fault) => `${migration.name}: ${fault}`));
  }
  assert.deepEqual(faults, []);
  const names = ruled.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((name) => !names.includes(name)),
    [],
  );
  reportFigure(
    t,
    `R18 migrations: ${ruled.length} inspected, none copies a table or reads it whole under a lock but ${Object.keys(EXCEPTIONS).length} with a reason`,
  );
});

test('a migration is of tables of organisations or of the coordinator, never of both', () => {
  const mixed = MIGRATIONS.filter((migration) => homesOf(migration).size > 1);
  assert.deepEqual(
    mixed.map(({ name }) => name).filter((name) => name > LAST_MIXED),
    [],
  );
  const planted = (sql: string) => homesOf({ name: 'planted', sql }).size;
  assert.equal(planted('alter table orders add column a int; create index on schedules (a)'), 2);
  assert.equal(
    planted('create table if not exists orders (a int); update order_history set a = 1'),
    1,
  );
});

test('the inspection finds what holds up others, and what the former release cannot use', {
  tags: ['slow'],
}, async (t) => {
  const client = await migratedUntil(lastFirst(t), LAST_UNRULED);
  const of = (sql: string) => faultsOf(client, { name: 'planted', sql });

  assert.deepEqual(await of('alter table orders add column planted_a text'), []);
  assert.deepEqual(await of('alter table orders add column planted_b int not null default 1'), []);
  assert.deepEqual(
    await of(
      'create table planted (id int primary key, at timestamptz not null); create index on planted (at)',
    ),
    [],
  );
  assert.deepEqual(
    await faultsOf(client, { name: 'planted', indexes: { planted_index: 'orders (planted_a)' } }),
    [],
  );
  assert.deepEqual(
    await of('alter table orders add column planted_c float not null default random()'),
    ['orders is copied'],
  );
  assert.deepEqual(await of('create index on orders (planted_b)'), [
    'orders is read whole while it takes no writes',
  ]);
  assert.deepEqual(await of('alter table orders alter column planted_b type bigint'), [
    'orders is copied',
    'orders.planted_b has another type',
  ]);
  assert.deepEqual(await of('alter table orders alter column planted_a set not null'), [
    'orders is read whole while it takes no writes',
    'orders.planted_a must not be null any more',
  ]);
  assert.deepEqual(
    await of('alter table orders add constraint planted_d check (planted_b > 0)'),
    [
      'orders may refuse rows by planted_d',
      'orders is read whole while it takes no writes',
    ].toSorted(),
  );
  assert.deepEqual(await of("update streams set last_error = ''"), [
    'the rows of streams are read or written at once',
  ]);
  assert.deepEqual(await of('insert into planted select 1, due_at from schedules'), [
    'the rows of schedules are read or written at once',
  ]);
  assert.deepEqual(await of('alter table planted add column name text not null'), [
    'planted is read whole while it takes no writes',
    'planted.name must be given',
  ]);
  assert.deepEqual(await of('alter table orders drop column planted_a'), [
    'orders.planted_a is gone',
  ]);
  assert.deepEqual(await of('drop table planted'), [
    'planted.at is gone',
    'planted.id is gone',
    'planted.name is gone',
  ]);
});

test('a migration that waits for a table lets readers pass, and is applied once the table is free', async (t) => {
  const name = await freshDatabase();
  const database = openAt(t, name);
  const [holder, reader] = [await connect(t, name), await connect(t, name)];
  await holder.query('begin; select from orders');
  let applied: string[] | null = null;
  const planted = { name: 'planted', sql: 'alter table orders add column planted int' };

  const migrating = migrate(database, [...MIGRATIONS, planted]).then((names) => {
    applied = names;
  });
  await someoneWaits(database);
  await reader.query("set statement_timeout = '20s'");
  for (let read = 0; read < 20; read++) await reader.query('select from orders limit 1');
  assert.equal(applied, null, 'the table is held, and the migration waits');
  await holder.query('commit');
  await migrating;

  assert.deepEqual(applied, ['planted']);
  assert.equal((await reader.query('select planted from orders')).rowCount, 0);
});

test('a migration that was cut short is applied whole by the next start', async (t) => {
  const name = await freshDatabase();
  const database = openAt(t, name);
  const client = await connect(t, name);
  const broken = { name: 'planted', sql: 'create table planted (id int); select 1 / 0' };
  const whole = { name: 'planted', sql: 'create table planted (id int)' };

  await assert.rejects(migrate(database, [...MIGRATIONS, broken]), /division by zero/);
  assert.equal((await client.query("select to_regclass('planted') as oid")).rows[0].oid, null);

  assert.deepEqual(await migrate(database, [...MIGRATIONS, whole]), ['planted']);
  assert.deepEqual(await migrate(database, [...MIGRATIONS, whole]), []);
});

test('a schema of a newer release is refused at the start and by commands, unless the operator goes back', {
  tags: ['slow'],
}, async (t) => {
  const own = lastFirst(t);
  const name = await freshDatabase();
  const client = await connect(t, name);
  await client.query("insert into migrations (name) values ('9999-of-tomorrow')");
  const env = { ...environmentOf(name), REDIS_URL: NO_REDIS };

  const refused = launchInstance(own, env);
  assert.equal(await endOf(refused, 60_000), 1);
  assert.match(
    refused.lines.join('\n'),
    /^La base de datos es de una versión más nueva de Tianguis: .*\(9999-of-tomorrow\)\. Instala/m,
  );
  const command = await runHere(['migrate'], env);
  assert.equal(command.code, 1);
  assert.match(command.stderr, /de una versión más nueva de Tianguis/);

  const back = launchInstance(own, { ...env, NEWER_SCHEMA: 'allow' });
  const isReady = () => back.lines.some((line) => line.includes('"msg":"ready"'));
  assert.ok(await eventually(() => isReady() || back.hasEnded(), 60_000));
  assert.ok(isReady(), back.lines.join('\n'));
});

/** In which of the two lists the tables are that a migration changes. */
function homesOf(migration: Migration): Set<string> {
  const sql = 'sql' in migration ? migration.sql : '';
  const indexes = 'indexes' in migration ? Object.values(migration.indexes) : [];
  const named = [
    ...sql.matchAll(/\b(?:table|exists|into|update|from|on) (?<table>\w+)/gi),
    ...indexes.join('\n').matchAll(/^(?<table>\w+)/gm),
  ].map(({ groups }) => groups?.table ?? '');
  const homeOf = (table: string) => {
    if (OF_ORGANIZATIONS.has(table)) return ['organisations'];
    return OF_COORDINATOR.has(table) ? ['coordinator'] : [];
  };
  return new Set(named.flatMap(homeOf));
}

function openAt(t: Ending, name: string) {
  const database = openDatabase({
    address: addressOf(name),
    clock: turnedClock(),
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  t.after(() => database.close());
  return database;
}

async function connect(t: Ending, name: string): Promise<pg.Client> {
  const address = addressOf(name);
  const client = new pg.Client('url' in address ? { connectionString: address.url } : address);
  await client.connect();
  t.after(() => client.end());
  return client;
}

let emptied = 0;

/** A database with the migrations up to this one. */
async function migratedUntil(t: Ending, last: Migration['name']): Promise<pg.Client> {
  const name = `tianguis_test_${process.pid}_empty_${++emptied}`;
  await atServer((client) => client.query(`create database ${name} template template0`));
  t.after(() => atServer((client) => client.query(`drop database ${name} with (force)`)));
  const database = openAt(t, name);
  await migrate(
    database,
    MIGRATIONS.slice(0, 1 + MIGRATIONS.findIndex((one) => one.name === last)),
  );
  return connect(t, name);
}
