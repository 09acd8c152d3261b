import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBackup } from '../src/features/backup/index.ts';
import { connectionById, saveConnection } from '../src/features/connections/index.ts';
import { createEndpoint, sendTest } from '../src/features/webhooks-out/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { MIGRATIONS } from '../src/platform/db/migrations/index.ts';
import { newId } from '../src/platform/ids.ts';
import { sealFile } from '../src/platform/sealed-file.ts';
import type { Instant } from '../src/platform/time.ts';
import { fillShop } from './agents/shop.ts';
import { launchCommand } from './reliability/support/commands.ts';
import { openHandle, quit } from './reliability/support/ground.ts';
import { reportFigure } from './reliability/support/profile.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, callApi, environmentOf, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { CHANGED_BY_RESTORE, digestsOf } from './support/digests.ts';
import { query } from './support/market.ts';
import { sealSomething } from './support/sealed.ts';
import { emptyDatabase } from './support/server.ts';

// `backup` and `restore`: the whole installation, while it works, to another machine.

const KEY = randomBytes(32);
const MASTER_KEY = KEY.toString('base64');
const GRANTED = `insert into oauth_records (model, id, payload)
  values ('RefreshToken', 'r', '{}'), ('Client', 'c', '{}')`;

test('a backup that was made under load comes back elsewhere: every row, keys and sealed documents', {
  tags: ['slow'],
}, async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  await fillShop(origin);
  const sealed = await sealSomething(origin);
  await withEvents(origin);
  let placed = 0;
  const load = origin.record([anOrder({ id: `CARGA-${placed++}` })]).then(async () => {
    while (placed < 40) await origin.record([anOrder({ id: `CARGA-${placed++}` })]);
  });
  const made = await cli(origin, 'backup', file);
  await load;
  const count = Number((await query(origin, 'select count(*) from orders', []))[0]?.count);
  const restoringAt = performance.now();
  const target = await restored(t, folder, file);

  assert.equal(made.code, 0, made.stdout);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(file)).size, made.json.bytes);
  const bytes = await readFile(file);
  for (const clear of ['Taza azul', 'Ramírez', 'TAZA-AZUL'])
    assert.equal(bytes.includes(clear), false, `${clear} is in clear`);
  const { body } = await callApi(target.url, '/v1/orders', { limit: 100 }, { key: origin.key });
  const there = Number((await query(target, 'select count(*) from orders', []))[0]?.count);
  assert.ok(body.data.length > 30 && there <= count, `${there} of ${count}`);
  assert.equal(await sealed(target, origin.organization.id), 'sellado');
  reportFigure(
    t,
    `R17 backup: ${made.json.rows} rows in ${bytes.length} bytes under load, there again after ${Math.round(performance.now() - restoringAt)} ms`,
  );
});

test('a backup of a service at rest has every row of every table, with the ids of events', {
  tags: ['slow'],
}, async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  await fillShop(origin);
  await withEvents(origin);
  await origin.record([anOrder({ id: 'A-1', buyerName: 'Ñandú\t"x"\\N\nfin' })]);
  const before = await digestsOf(origin);

  await cli(origin, 'backup', file);
  const target = await restored(t, folder, file);

  const after = await digestsOf(target, origin);
  for (const [table, digest] of Object.entries(before))
    if (!CHANGED_BY_RESTORE.includes(table)) assert.equal(after[table], digest, table);
  assert.ok(Object.keys(before).length > 70);
  assert.deepEqual(await schemaOf(target), await schemaOf(origin));
});

test('after a restore clocks pass every stamp, sessions are over, and people read what was lost', {
  tags: ['slow'],
}, async (t) => {
  // The former machine's clock was half an hour ahead, and went on after the backup.
  const clock = turnedClock(systemClock.now().add({ minutes: 30 }).toString());
  const { origin, folder, file } = await openOrigin(t, { clock });
  await origin.record([anOrder({ id: 'A-1' })]);
  await query(origin, GRANTED, []);
  await connected(origin, 'mercado_libre');
  await connected(origin, 'woocommerce');
  await connected(origin, 'shopify', null);
  await cli(origin, 'backup', file);
  clock.advance({ minutes: 20 });
  await origin.record([anOrder({ id: 'PERDIDA' })]);
  const { as_of: lost } = await polled(origin, origin.key, '2020-01-01T00:00:00Z');

  const target = await restored(t, folder, file);

  const none = await polled(target, origin.key, lost);
  assert.deepEqual(none.ids, []);
  await target.record([anOrder({ id: 'PERDIDA' })], origin.organization.id);
  assert.deepEqual((await polled(target, origin.key, lost)).ids, ['PERDIDA']);
  const [ended] = await query(target, 'select count(*)::int as count from sessions', []);
  assert.equal(ended?.count, 0);
  assert.deepEqual(await query(target, 'select model from oauth_records order by 1', []), [
    { model: 'Client' },
  ]);
  const accounts = await query(
    target,
    'select service, state from connections where organization_id = $1 order by 1',
    [origin.organization.id],
  );
  assert.deepEqual(
    accounts.map(({ service, state }) => [service, state]),
    [
      ['mercado_libre', 'reauth_required'],
      ['shopify', 'ok'],
      ['woocommerce', 'ok'],
    ],
  );
  const alerts = await cli(target, 'alerts', '--organization', origin.organization.id);
  const [alert] = alerts.json.alerts.filter(({ kind }: { kind: string }) => kind === 'restored');
  assert.match(alert.message, /^Restauramos tus datos de una copia de seguridad\. .* se perdió;/);
});

test('a file that is cut, altered, of another key, of a newer release or no backup changes nothing', async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  // More than one box, however well it is compressed.
  await query(origin, 'update organizations set name = $1 where id = $2', [
    randomBytes(600_000).toString('base64'),
    origin.organization.id,
  ]);
  await cli(origin, 'backup', file);
  const whole = await readFile(file);
  const head = whole.indexOf('\n') + 1;
  const about = JSON.parse(whole.subarray(0, head).toString()).about;
  const newer = { ...about, migrations: [...about.migrations, '9999-later'], release: '9.9.9' };
  const wrong: Record<string, Buffer> = {
    cut: whole.subarray(0, -1),
    'cut between boxes': firstBox(whole, head),
    altered: flipped(whole, whole.length - 40),
    'with another head': Buffer.from(
      whole.toString('latin1').replace('"0.1.0"', '"0.1.1"'),
      'latin1',
    ),
    newer: Buffer.concat(await Array.fromAsync(sealFile({ current: KEY }, newer, empty()))),
    'no backup': Buffer.from('{"id":"1"}\n'),
    empty: Buffer.alloc(0),
  };
  const said: Record<string, string> = {};
  for (const [name, content] of Object.entries(wrong)) {
    await writeFile(join(folder, 'wrong'), content);
    const dataDir = join(folder, `data of ${name}`);
    const { stdout, code } = await restore(dataDir, join(folder, 'wrong'));
    assert.notEqual(code, 0, name);
    said[name] = JSON.parse(stdout).error.message;
    await assert.rejects(stat(dataDir), name);
  }
  const other = { MASTER_KEY: randomBytes(32).toString('base64') };
  said['another key'] = JSON.parse(
    (await restore(join(folder, 'other'), file, other)).stdout,
  ).error.message;

  assert.deepEqual(said, {
    cut: 'La copia está incompleta: le falta el final.',
    'cut between boxes': 'La copia está incompleta: le falta el final.',
    altered: 'La copia está dañada o alguien la modificó.',
    'with another head': 'La copia está dañada o alguien la modificó.',
    newer:
      'La copia es de una versión más nueva de Tianguis (9.9.9). Restáurala con esa versión o una posterior.',
    'no backup': 'El archivo no es una copia de seguridad de Tianguis.',
    empty: 'El archivo no es una copia de seguridad de Tianguis.',
    'another key':
      'La copia se hizo con otra MASTER_KEY. Indica esa clave en MASTER_KEY o en MASTER_KEY_PREVIOUS.',
  });
});

test('a backup replaces no file, and a restore no data', { tags: ['slow'] }, async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  await cli(origin, 'backup', file);
  const again = await cli(origin, 'backup', file);
  await writeFile(`${file}-2.part`, 'of another');
  const taken = await cli(origin, 'backup', `${file}-2`);
  const served = await runHere(['restore', file, '--json'], { ...origin.env, DATA_DIR: folder });
  const dataDir = join(folder, 'data');
  const [first, second] = [await restore(dataDir, file), await restore(dataDir, file)];

  assert.match(again.stdout, /Ya existe/);
  assert.match(taken.stdout, /Otra copia se escribe en/);
  assert.equal(await readFile(`${file}-2.part`, 'utf8'), 'of another');
  assert.match(served.stdout, /restore carga la base de datos incluida/);
  assert.equal(first.code, 0, first.stdout);
  assert.match(second.stdout, /Ya hay una base de datos en/);
});

test('a restore over a running service is refused, and the service goes on', {
  tags: ['slow'],
}, async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  await origin.record([anOrder({ id: 'ANTES' })]);
  await cli(origin, 'backup', file);
  const running = await restored(t, folder, file);
  await running.record([anOrder({ id: 'DESPUES' })], origin.organization.id);
  const refused = await restore(join(folder, 'data'), file);

  assert.notEqual(refused.code, 0);
  assert.match(refused.stdout, /Ya hay una base de datos en/);
  const { body } = await callApi(running.url, '/v1/orders', {}, { key: origin.key });
  assert.deepEqual(body.data.map(({ id }: { id: string }) => id).sort(), ['ANTES', 'DESPUES']);
  await running.record([anOrder({ id: 'MAS_TARDE' })], origin.organization.id);
  // Its next start would refuse to work on a folder with this mark.
  assert.equal(existsSync(join(folder, 'data', 'restore-unfinished')), false);
});

test('a restore that is killed before its load leaves nothing that starts', {
  tags: ['slow'],
}, async (t) => {
  const { origin, folder, file } = await openOrigin(t);
  await cli(origin, 'backup', file);
  const dataDir = join(folder, 'data');
  const env = { MASTER_KEY, DATA_DIR: dataDir };
  const pidFile = join(dataDir, 'postgres/cluster/postmaster.pid');
  const command = launchCommand(t, env, ['restore', file]);
  // Its schema takes a second from then on.
  await soon(() => assert.ok(existsSync(pidFile)), 60_000);
  command.child.kill('SIGKILL');
  await command.ended;
  await quit(pidFile);

  const refused = await runHere(['organizations', '--json'], env);
  const again = await runHere(['restore', file, '--json'], env);
  await rm(dataDir, { recursive: true });
  const repeated = await runHere(['restore', file, '--json'], env);
  const listed = await runHere(['organizations', '--json'], env);

  assert.notEqual(refused.code, 0);
  assert.match(refused.stdout, /La restauración quedó incompleta \(restore-unfinished\)/);
  assert.match(again.stdout, /Ya hay una base de datos en/);
  assert.equal(repeated.code, 0, repeated.stdout);
  assert.equal(listed.code, 0, listed.stdout);
});

test('a backup of an older release gets the schema of this one', { tags: ['slow'] }, async (t) => {
  const { folder, file } = await openOrigin(t);
  const database = await emptyDatabase();
  const former = openHandle(t, environmentOf(database).DATABASE_URL as string);
  await migrate(former, MIGRATIONS.slice(0, -8));
  // With the columns of the first release: those of this one are not there yet.
  const id = newId();
  await former.write((handle) =>
    handle.sql(
      `insert into organizations (id, public_id, name, plan, created_at)
       values ($1, 'antigua', 'Antigua', 'intermedio', now())`,
      [id],
    ),
  );
  const { bytes } = await openBackup(former, { current: KEY }, '0.0.9');
  await writeFile(file, bytes);

  const target = await restored(t, folder, file);

  const rows = await query(target, 'select name from migrations order by name', []);
  assert.deepEqual(
    rows.map(({ name }) => name),
    MIGRATIONS.map(({ name }) => name),
  );
  const [row] = await query(target, 'select name from organizations where id = $1', [id]);
  assert.equal(row?.name, 'Antigua');
});

async function openOrigin(
  t: TestContext,
  more: Pick<Parameters<typeof openApp>[1] & object, 'clock'> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  // As root the database runs as another user, who needs access.
  await chmod(folder, 0o711);
  const origin = await openApp(t, { env: { MASTER_KEY }, ...more });
  // After the instances of the test, which work in it.
  WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return { origin, folder, file: join(folder, 'backup.tianguis') };
}

/** An instance on what was restored, with the embedded database. */
async function restored(t: TestContext, folder: string, file: string): Promise<TestApp> {
  const dataDir = join(folder, 'data');
  const { code, stdout } = await restore(dataDir, file);
  assert.equal(code, 0, stdout);
  return openApp(t, { env: { MASTER_KEY, DATA_DIR: dataDir, DATABASE_URL: '' } });
}

function restore(dataDir: string, file: string, more: Record<string, string> = {}) {
  return runHere(['restore', file, '--json'], { MASTER_KEY, DATA_DIR: dataDir, ...more });
}

function cli({ env }: TestApp, ...words: string[]) {
  return runHere([...words, '--json'], env);
}

function withEvents(own: TestApp): Promise<unknown> {
  return own.app.database.within(own.organization.id).write(async (scope) => {
    const terms = { url: 'https://recibe.example/' };
    const { id } = await createEndpoint(scope, 'operator', terms, 20);
    await sendTest(scope, 'operator', id);
  });
}

async function connected(
  own: TestApp,
  service: 'mercado_libre' | 'woocommerce' | 'shopify',
  credentialsExpireAt: Instant | null = own.clock.now(),
) {
  await own.app.database.within(own.organization.id).write(async (scope) => {
    const id = await saveConnection(scope, own.app.exchange.keyring, {
      service,
      accountId: service,
      name: service,
      baseUrl: null,
      credentials: { access_token: 'a', refresh_token: 'b' },
      credentialsExpireAt,
    });
    assert.ok(await connectionById(scope, id));
  });
}

async function polled(own: TestApp, key: string, since: string) {
  const query = { updated_since: since, limit: 100 };
  const { body } = await callApi(own.url, '/v1/orders', query, { key });
  return { ids: body.data.map(({ id }: { id: string }) => id), as_of: body.meta.as_of };
}

/** Indexes and constraints, which a restore makes anew after the rows. */
async function schemaOf(own: TestApp): Promise<unknown[]> {
  return query(
    own,
    `select indexdef as definition from pg_indexes where schemaname = 'public'
      union all
     select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace
      order by 1`,
    [],
  );
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** The file up to the end of its first box. */
function firstBox(whole: Buffer, head: number): Buffer {
  const end = head + 4 + whole.readUInt32BE(head);
  assert.ok(end < whole.length, 'the file has one box');
  return whole.subarray(0, end);
}

async function* empty(): AsyncGenerator<Buffer> {}
