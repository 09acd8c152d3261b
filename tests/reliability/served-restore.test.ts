import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillShop } from '../agents/shop.ts';
import { anOrder, callApi, openApp, type TestApp } from '../support/app.ts';
import { runHere } from '../support/command.ts';
import { CHANGED_BY_RESTORE, digestsOf } from '../support/digests.ts';
import { query } from '../support/market.ts';
import { sealSomething } from '../support/sealed.ts';
import { lastFirst, MASTER_KEY } from './support/processes.ts';
import { reportFigure } from './support/profile.ts';
import { noReplica, openArchivedServer, openServer } from './support/streaming.ts';

// A served database is restored by the tools of its server, as docs/running.md says, and then
// `after-restore` applies the rules of a restore.

test('a dump comes back by pg_restore: every row, and after-restore applies the rules of a restore', {
  skip: noReplica,
}, async (context) => {
  const t = lastFirst(context);
  const server = await openServer(t);
  const origin = await openApp(t, envAt(server.url));
  await fillShop(origin);
  const sealed = await sealSomething(origin);
  await withGuideUnderWay(origin);
  const before = await digestsOf(origin);
  const asOf = await instantOf(origin);
  const dump = join(server.folder, 'tianguis.dump');
  server.run('pg_dump', '-Fc', '-f', dump, server.url);
  await origin.record([anOrder({ id: 'PERDIDA' })]);
  const { as_of: lost } = await polled(origin, asOf);
  const served = await settle(server.url, asOf);
  await origin.app.close();

  const restored = await server.create('restored');
  server.run('pg_restore', '--no-owner', '-d', restored, dump);
  const settled = await settle(restored, asOf);
  const target = await openApp(t, envAt(restored));

  assert.match(served.stdout, /Un servicio está usando esta base de datos/);
  assert.equal(settled.code, 0, settled.stdout);
  assert.ok(JSON.parse(settled.stdout).jobs_removed > 0, 'a job of the dump is there');
  const after = await digestsOf(target, origin);
  const changed = [...CHANGED_BY_RESTORE, 'guide_attempts'];
  for (const [table, digest] of Object.entries(before))
    if (!changed.includes(table)) assert.equal(after[table], digest, table);
  assert.equal(await sealed(target, origin.organization.id), 'sellado');
  await assertRulesHold(target, origin, lost);
  reportFigure(
    context,
    `R17 dump and pg_restore of ${await versionOf(target)}: every row, the rules of a restore hold`,
  );
});

test('a database that is recovered to a point in time has what was committed before it, and the rules hold', {
  skip: noReplica,
}, async (context) => {
  const t = lastFirst(context);
  const server = await openArchivedServer(t);
  const origin = await openApp(t, envAt(server.url));
  await fillShop(origin);
  await withGuideUnderWay(origin);
  server.backUp();
  await origin.record([anOrder({ id: 'DENTRO' })]);
  const { as_of: seen } = await polled(origin, '2020-01-01T00:00:00Z');
  const asOf = await instantOf(origin);
  await sleep(50);
  await origin.record([anOrder({ id: 'PERDIDA' })]);
  const { as_of: lost } = await polled(origin, seen);
  await query(origin, 'select pg_switch_wal()', []);
  await origin.app.close();

  const recovered = await server.recover(asOf);
  const settled = await settle(recovered, asOf);
  const target = await openApp(t, envAt(recovered));

  assert.equal(settled.code, 0, settled.stdout);
  const ids = (
    await query(target, "select id from orders where id = any('{DENTRO,PERDIDA}')", [])
  ).map(({ id }) => id);
  assert.deepEqual(ids, ['DENTRO']);
  await assertRulesHold(target, origin, lost);
  reportFigure(
    context,
    `R17 recovery of ${await versionOf(target)} to a point in time: the rules of a restore hold`,
  );
});

const GUIDE = `insert into guide_attempts
    (organization_id, id, line_id, batch_id, reference, state, carrier, currency, queued_at, sent_at)
  values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'R-1', 'sent',
    'paquetexpress', 'MXN', now(), now())`;
const MAIL_THAT_WAITS =
  "insert into queue.job (name, data, start_after) values ('mail', '{}', now() + interval '1 day')";

/** No stamp is given twice, no one is signed in, no guide that may have been sold is asked for. */
async function assertRulesHold(target: TestApp, origin: TestApp, lost: string): Promise<void> {
  const { id } = origin.organization;
  const of = (since: string) => polled(target, since, origin.key);
  assert.deepEqual((await of(lost)).ids, []);
  await target.record([anOrder({ id: 'NUEVA' })], id);
  assert.deepEqual((await of(lost)).ids, ['NUEVA']);
  const [guide] = await query(
    target,
    "select state from guide_attempts where reference = 'R-1'",
    [],
  );
  assert.equal(guide?.state, 'unknown');
  const [alert] = await query(
    target,
    "select message from alerts where organization_id = $1 and kind = 'restored'",
    [id],
  );
  assert.match(String(alert?.message), /^Restauramos tus datos de una copia de seguridad/);
  assert.equal((await query(target, 'select 1 from restores', [])).length, 1);
}

async function withGuideUnderWay(own: TestApp): Promise<void> {
  await query(own, GUIDE, [own.organization.id]);
  await query(own, MAIL_THAT_WAITS, []);
}

function envAt(url: string) {
  return { env: { MASTER_KEY, DATABASE_URL: url } };
}

function settle(url: string, asOf: string) {
  return runHere(['after-restore', '--as-of', asOf, '--json'], envAt(url).env);
}

async function instantOf(own: TestApp): Promise<string> {
  const [row] = await query(
    own,
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
    [],
  );
  return String(row?.at);
}

async function polled(own: TestApp, since: string, key = own.key) {
  const { body } = await callApi(
    own.url,
    '/v1/orders',
    { updated_since: since, limit: 100 },
    { key },
  );
  return { ids: body.data.map(({ id }: { id: string }) => id), as_of: body.meta.as_of };
}

async function versionOf(own: TestApp): Promise<string> {
  const [row] = await query(own, "select current_setting('server_version') as version", []);
  return `PostgreSQL ${String(row?.version).split(' ')[0]}`;
}
