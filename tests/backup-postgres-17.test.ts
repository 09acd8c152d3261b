import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillShop } from './agents/shop.ts';
import { makeFolder } from './reliability/support/ground.ts';
import { lastFirst } from './reliability/support/processes.ts';
import { anOrder, callApi, openApp } from './support/app.ts';
import { runHere } from './support/command.ts';
import { CHANGED_BY_RESTORE, digestsOf } from './support/digests.ts';
import { query } from './support/market.ts';
import { noPostgres17, openPostgres17 } from './support/postgres-17.ts';
import { sealSomething } from './support/sealed.ts';

// A new major version of PostgreSQL refuses the folder of the former one: a backup leads over.

const MASTER_KEY = randomBytes(32).toString('base64');

test('a backup of PostgreSQL 17 comes back on 18: every row, keys, sealed texts and clients that follow', {
  skip: noPostgres17,
}, async (context) => {
  const t = lastFirst(context);
  const folder = makeFolder(t);
  const server = await openPostgres17(t, folder);
  const origin = await openApp(t, { env: { MASTER_KEY, DATABASE_URL: server.url } });
  assert.match(await versionOf(origin), /^17\./);
  await fillShop(origin);
  const sealed = await sealSomething(origin);
  const before = await digestsOf(origin);
  const polled = async (own: typeof origin, since: string) => {
    const asked = { updated_since: since, limit: 100 };
    const { body } = await callApi(own.url, '/v1/orders', asked, { key: origin.key });
    return { ids: body.data.map(({ id }: { id: string }) => id), as_of: body.meta.as_of };
  };
  const { ids, as_of: seen } = await polled(origin, '2020-01-01T00:00:00Z');
  const file = join(folder, 'backup.tianguis');
  const made = await runHere(['backup', file, '--json'], origin.env);
  assert.equal(made.code, 0, made.stdout);
  await origin.record([anOrder({ id: 'PERDIDA' })]);
  const { as_of: lost } = await polled(origin, seen);

  const dataDir = join(folder, 'data');
  const env = { MASTER_KEY, DATA_DIR: dataDir, DATABASE_URL: '' };
  const restored = await runHere(['restore', file, '--json'], env);
  assert.equal(restored.code, 0, restored.stdout);
  const target = await openApp(t, { env });

  assert.match(await versionOf(target), /^18\./);
  const after = await digestsOf(target, origin);
  for (const [table, digest] of Object.entries(before))
    if (!CHANGED_BY_RESTORE.includes(table)) assert.equal(after[table], digest, table);
  assert.equal(await sealed(target, origin.organization.id), 'sellado');
  assert.ok(ids.length > 30);
  const { ids: there } = await polled(target, '2020-01-01T00:00:00Z');
  assert.deepEqual(there.toSorted(), ids.toSorted());
  await target.record([anOrder({ id: 'NUEVA' })], origin.organization.id);
  for (const since of [seen, lost])
    assert.deepEqual((await polled(target, since)).ids, ['NUEVA'], 'after the backup, and before');
});

async function versionOf(own: Parameters<typeof query>[0]): Promise<string> {
  const [row] = await query(own, "select current_setting('server_version') as version");
  return String(row?.version);
}
