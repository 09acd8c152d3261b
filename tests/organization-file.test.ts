import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ERASED } from '../src/features/erasure/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { LEFT_OUT, TABLES } from '../src/features/organization-file/index.ts';
import { fillShop } from './agents/shop.ts';
import { callApi, openApp, type TestApp } from './support/app.ts';
import { runHere } from './support/command.ts';
import { query } from './support/market.ts';
import { plant } from './support/planted.ts';
import { sealSomething } from './support/sealed.ts';
import { freshDatabase } from './support/server.ts';

// `export-organization` and `import-organization`: all of an organisation, to another installation.

const MASTER_KEY = randomBytes(32).toString('base64');

test('every table of an organisation is in its file, or left out for a reason', () => {
  const named = [...TABLES, ...Object.keys(LEFT_OUT)];
  assert.deepEqual(named.toSorted(), [...ERASED].toSorted());
});

test('an organisation comes back from its file as it was, suspended and with its accounts disconnected', {
  tags: ['slow'],
}, async (t) => {
  const { origin, target, folder, here } = await openTwo(t);
  await fillShop(origin);
  const sealed = await sealSomething(origin);
  await query(
    origin,
    "update connections set credentials = 'SECRETO', push_secret = 'SECRETO'",
    [],
  );
  const before = await readsOf(origin);

  const file = join(folder, 'one.ndjson');
  const exported = await cli(origin, 'export-organization', '--organization', here, '--out', file);
  const imported = await cli(target, 'import-organization', file);
  const again = await cli(target, 'import-organization', file);
  const copy = join(folder, 'two.ndjson');
  await cli(target, 'export-organization', '--organization', here, '--out', copy);

  assert.equal(exported.code, 0, exported.stdout);
  assert.deepEqual([imported.code, again.code], [0, 0], imported.stdout + again.stdout);
  assert.deepEqual(imported.json, { organization_id: here, rows: exported.json.rows });
  assert.deepEqual(await comparable(copy), await comparable(file));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const text = await readFile(file, 'utf8');
  assert.ok(!text.includes('api_keys') && !text.includes('SECRETO'));
  const [state] = await query(target, 'select suspended_at from organizations where id = $1', [
    here,
  ]);
  const open = await query(target, "select 1 from connections where state <> 'disconnected'", []);
  assert.ok(state?.suspended_at !== null && open.length === 0);
  await cli(target, 'resume', '--organization', here);
  assert.deepEqual(await readsOf(target, here), before);
  assert.equal(await sealed(target, here), 'sellado');
});

test('rows of every table come back byte for byte, and new ones are numbered after them', {
  tags: ['slow'],
}, async (t) => {
  const { origin, target, folder, here } = await openTwo(t);
  const there = (await target.tenant()).organization.id;
  // Rows of any content fit no check; those of the other organisation only drop the checks.
  await plant(String(origin.env.TEST_DATABASE), here, 'MARCA', { count: 450 });
  await plant(String(target.env.TEST_DATABASE), there, 'OTRA');
  for (const at of [origin, target]) await query(at, 'delete from data_keys', []);

  const file = join(folder, 'one.ndjson');
  const exported = await cli(origin, 'export-organization', '--organization', here, '--out', file);
  const imported = await cli(target, 'import-organization', file);
  const copy = join(folder, 'two.ndjson');
  await cli(target, 'export-organization', '--organization', here, '--out', copy);

  assert.deepEqual([exported.code, imported.code], [0, 0], exported.stdout + imported.stdout);
  assert.equal(exported.json.rows, await countRows(origin, here));
  assert.deepEqual(await comparable(copy), await comparable(file));
  const tables = new Set((await comparable(file)).map((line) => /"table":"(\w+)"/.exec(line)?.[1]));
  assert.ok(TABLES.filter((table) => table !== 'data_keys').every((table) => tables.has(table)));
  for (const table of ['acts', 'shipment_events'])
    assert.deepEqual(
      await query(
        target,
        `select max(seq) < nextval(pg_get_serial_sequence('${table}', 'seq')) as is_after from ${table}`,
        [],
      ),
      [{ is_after: true }],
    );
});

test('a file that is cut off, of another release, of another key or of an organisation in use is refused', {
  tags: ['slow'],
}, async (t) => {
  const { origin, target, folder, here } = await openTwo(t);
  await fillShop(origin);
  await sealSomething(origin);
  const file = join(folder, 'one.ndjson');
  await cli(origin, 'export-organization', '--organization', here, '--out', file);
  const lines = (await readFile(file, 'utf8')).split('\n');
  const wrong: Record<string, string[]> = {
    cut: lines.slice(0, -3),
    short: [...lines.slice(0, 3), ...lines.slice(4)],
    release: lines.with(0, (lines[0] ?? '').replace(/"schema":"[^"]+"/, '"schema":"x"')),
    other: ['{"id":"1"}'],
    broken: lines.map((line) =>
      line.includes('"table":"orders"') ? line.replace(/"total": ?[^,]+/, '"total":"mucho"') : line,
    ),
    nested: lines.map((line) =>
      line.includes('"table":"orders"') ? line.replace('"row":{', '"row":{"x"') : line,
    ),
    foreign: lines.map((line) =>
      line.includes('"table":"orders"') ? line.replaceAll(here, there(here)) : line,
    ),
  };
  const said: Record<string, string> = {};
  for (const [name, content] of Object.entries(wrong)) {
    const path = join(folder, name);
    await writeFile(path, content.join('\n'));
    said[name] = (await cli(target, 'import-organization', path)).stdout;
  }
  const inUse = await cli(origin, 'import-organization', file);
  const key = { ...target, env: { ...target.env, MASTER_KEY: randomBytes(32).toString('base64') } };
  await query(target, 'delete from data_keys where organization_id = $1', [here]);
  const locked = await cli(key, 'import-organization', file);
  const taken = await cli(origin, 'export-organization', '--organization', here, '--out', folder);

  assert.match(said.cut ?? '', /El archivo está incompleto/);
  assert.match(said.short ?? '', /no se puede leer/);
  assert.match(said.release ?? '', /es de otra versión/);
  assert.match(said.other ?? '', /no es una organización exportada/);
  assert.match(said.broken ?? '', /una fila que no se puede guardar en orders/);
  assert.match(said.nested ?? '', /una fila que no se puede guardar en orders/);
  assert.match(said.foreign ?? '', /filas de otra organización en orders/);
  assert.match(inUse.stdout, /ya existe y está en uso/);
  assert.match(locked.stdout, /no tiene la MASTER_KEY/);
  assert.match(taken.stdout, /es una carpeta/);
  const keys = 'select 1 from data_keys where organization_id = $1';
  assert.equal((await query(target, keys, [here])).length, 0);
});

/** Two installations with one master key, each on a database of its own. */
async function openTwo(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'organization-'));
  t.after(() => rm(folder, { recursive: true }));
  const [one, two] = [await freshDatabase(), await freshDatabase()];
  const opened = async (database: string) => {
    const own = await openApp(t, { database, env: { MASTER_KEY } });
    return { ...own, env: { ...own.env, TEST_DATABASE: database } };
  };
  const [origin, target] = [await opened(one), await opened(two)];
  return { origin, target, folder, here: origin.organization.id };
}

function cli({ env }: TestApp, ...words: string[]) {
  const { TEST_DATABASE: _, ...given } = env;
  return runHere([...words, '--json'], given);
}

/** What the API says of an organisation, by a new key. */
async function readsOf(own: TestApp, organizationId = own.organization.id) {
  const { key } = await own.app.database
    .within(organizationId)
    .write((scope) => createKey(scope, 'operator', { name: 'lee' }));
  const { body } = await callApi(own.url, '/v1/orders', { limit: 100 }, { key });
  return body.data;
}

/** Of the tables of the file, with the organisation itself. */
async function countRows(own: TestApp, organizationId: string): Promise<number> {
  const counts = TABLES.map(
    (table) => `(select count(*) from ${table} where organization_id = $1)`,
  );
  const [row] = await query(own, `select (1 + ${counts.join(' + ')})::int as rows`, [
    organizationId,
  ]);
  return row?.rows as number;
}

/** Lines without what an import changes. */
async function comparable(file: string): Promise<string[]> {
  const changed =
    /"(as_of|suspended_at|state|state_message|disconnected_at|refused_what|refused_at|refusals|renewing_since)": ?("[^"]*"|null|\d+),? ?/g;
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.map((line) =>
    /^\{"(format|table":"(organizations|connections)")/.test(line)
      ? line.replace(changed, '')
      : line,
  );
}

/** Another id of the same form. */
function there(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}
