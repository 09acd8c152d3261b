import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillShop } from '../agents/shop.ts';
import { anOrder, callApi, openApp, type TestApp } from '../support/app.ts';
import { runHere } from '../support/command.ts';
import { CHANGED_BY_RESTORE, digestsOf } from '../support/digests.ts';
import { query } from '../support/market.ts';
import { noPostgres17, openPostgres17 } from '../support/postgres-17.ts';
import { sealSomething } from '../support/sealed.ts';
import { makeFolder } from './support/ground.ts';
import { fillWithOrders } from './support/many-orders.ts';
import { lastFirst } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// The backup at its real size: one organisation rests and must be there row by row, another is
// written to all the while and must be there up to one moment.

const ORDERS = sized({ small: 1_000, quick: 5_000, long: 1_000_000 });
const TIMEOUT_MS = sized({ small: 300_000, quick: 300_000, long: 5_400_000 });
/** Also of a million orders. */
const RESTORED_WITHIN_MS = within(120_000);
const MASTER_KEY = randomBytes(32).toString('base64');

test('a backup of many orders under load comes back elsewhere: rows, sums, people, sealed texts and walks', {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const t = lastFirst(context);
  const folder = makeFolder(t);
  // Where PostgreSQL 17 is there, the restore is an upgrade as well.
  const former = noPostgres17 ? {} : { DATABASE_URL: (await openPostgres17(t, folder)).url };
  const resting = await openApp(t, { env: { MASTER_KEY, ...former } });
  await resting.setPlan('experto', 1_000_000);
  await fillShop(resting);
  const { database } = resting.app;
  await fillWithOrders({ database, organizationId: resting.organization.id }, ORDERS);
  await addPerson(resting);
  const sealed = await sealSomething(resting);
  const busy = await resting.another();
  const before = await digestsOf(resting);
  const sums = await sumsOf(resting, resting);
  const followed = await walk(resting, resting.key, null);
  const file = join(folder, 'backup.tianguis');

  const load = startLoad(busy);
  await load.placed(1);
  const began = performance.now();
  const made = await runHere(['backup', file, '--json'], resting.env);
  const backupMs = performance.now() - began;
  const atItsEnd = load.count();
  await load.placed(atItsEnd + 1);
  await load.stop();
  const lost = await walk(busy, busy.key, null);

  assert.equal(made.code, 0, made.stdout);
  const restoring = performance.now();
  const env = { MASTER_KEY, DATA_DIR: join(folder, 'data'), DATABASE_URL: '' };
  const restored = await runHere(['restore', file, '--json'], env);
  assert.equal(restored.code, 0, restored.stdout);
  const target = await openApp(t, { env });
  const restoreMs = performance.now() - restoring;

  const after = await digestsOf(target, resting);
  for (const [table, digest] of Object.entries(before))
    if (!CHANGED_BY_RESTORE.includes(table)) assert.equal(after[table], digest, table);
  assert.deepEqual(await sumsOf(target, resting), sums);
  assert.equal(await sealed(target, resting.organization.id), 'sellado');
  const kept = await numbersOf(target, busy);
  assert.deepEqual(
    kept,
    kept.map((_, at) => at),
    'what the load wrote is there up to one moment, without a gap',
  );
  assert.ok(kept.length >= 1 && kept.length <= atItsEnd + 1, `${kept.length} of ${atItsEnd}`);
  const whole = await walk(target, resting.key, null);
  assert.deepEqual(whole.ids.toSorted(), followed.ids.toSorted());
  await assertWalksGoOn(target, resting, followed);
  await assertWalksGoOn(target, busy, lost);
  reportFigure(
    context,
    `R17 sized backup: ${ORDERS} orders (${made.stdout && JSON.parse(made.stdout).rows} rows) in ${megabytes((await stat(file)).size)} MB and ${seconds(backupMs)} s while ${atItsEnd} orders were written; there again${noPostgres17 ? '' : ', on the next major version,'} after ${seconds(restoreMs)} s`,
  );
  assert.ok(restoreMs <= RESTORED_WITHIN_MS, `restored after ${restoreMs} ms`);
});

/** A client that followed the organisation until then sees what changes from then on, once. */
async function assertWalksGoOn(
  target: TestApp,
  { organization, key }: TestApp,
  { as_of: since }: Walk,
): Promise<void> {
  assert.deepEqual((await walk(target, key, since)).ids, []);
  const id = `NUEVA-${organization.publicId}`;
  await target.record([anOrder({ id })], organization.id);
  assert.deepEqual((await walk(target, key, since)).ids, [id]);
}

interface Walk {
  readonly ids: readonly string[];
  readonly as_of: string;
}

/** Every page since then, by cursor. */
async function walk(own: TestApp, key: string, since: string | null): Promise<Walk> {
  const ids: string[] = [];
  const asked = { limit: 100, updated_since: since ?? '2020-01-01T00:00:00Z' };
  for (let cursor: string | null = null, first: string | null = null; ; ) {
    const terms: Record<string, string | number> = cursor === null ? asked : { ...asked, cursor };
    const { status, body } = await callApi(own.url, '/v1/orders', terms, { key });
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    first ??= body.meta.as_of;
    cursor = body.pagination.next_cursor;
    if (cursor === null) return { ids, as_of: first as string };
  }
}

/** Orders, one after the other, until it is stopped. */
function startLoad(own: TestApp) {
  let count = 0;
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await own.record([anOrder({ id: `CARGA-${String(count).padStart(6, '0')}` })]);
      count += 1;
    }
  })();
  return {
    count: () => count,
    async placed(least: number) {
      while (count < least) await Promise.race([running, new Promise(setImmediate)]);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

async function numbersOf(target: TestApp, { organization }: TestApp): Promise<number[]> {
  const rows = await query(
    target,
    `select right(id, 6)::int as number from orders
      where organization_id = $1 and id like 'CARGA-%' order by 1`,
    [organization.id],
  );
  return rows.map(({ number }) => Number(number));
}

async function sumsOf(at: TestApp, { organization }: TestApp): Promise<unknown> {
  return query(
    at,
    `select marketplace, count(*)::int as orders, sum(total)::text as total from orders
      where organization_id = $1 group by 1 order by 1`,
    [organization.id],
  );
}

async function addPerson({ organization, env }: TestApp): Promise<void> {
  const at = ['--organization', organization.id, '--email', 'almacen@tienda.example'];
  const made = await runHere(['create-user', ...at, '--role', 'warehouse', '--json'], env);
  assert.equal(made.code, 0, made.stdout);
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(1);
}
