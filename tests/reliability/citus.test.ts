import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceShipmentEvent } from '../../src/carriers/contract.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { recordEvents } from '../../src/features/shipments/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { soon } from '../spec/support/soon.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { noCitus, openDistributed, refusedStatements } from './support/citus.ts';
import { follow } from './support/follower.ts';
import { reportedOrder } from './support/orders.ts';
import { lastFirst } from './support/processes.ts';
import { reportFigure } from './support/profile.ts';
import { ask } from './support/streaming.ts';
import { NO_LIMIT } from './support/tenants.ts';

// The product on several servers of data: a Citus coordinator and two workers.

const LATE_MS = 20;
const SHOPS = 6;
const ORDERS = 5;
const ROUNDS = 25;
const IN_TRANSIT: SourceShipmentEvent = {
  trackingNumber: 'guia-1',
  code: 'in_transit',
  category: 'EN_TRANSITO',
  description: null,
  location: null,
  occurredAt: Temporal.Instant.from('2026-11-01T12:00:00Z'),
  raw: '{}',
};

type Stage = Awaited<ReturnType<typeof openStage>>;
let stage: Stage;
const end = lastFirst({ after });

before(async () => {
  if (!noCitus) stage = await openStage();
});

test('Citus takes every statement of the stores', { skip: noCitus, timeout: 300_000 }, async () => {
  assert.deepEqual(await refusedStatements(stage.coordinator), []);
});

test('there the hourly housekeeping removes old rows, and webhooks of carriers are stored once', {
  skip: noCitus,
  timeout: 300_000,
}, async () => {
  const { at, shops, coordinator } = stage;
  const rows = (text: string) => ask(coordinator, text);
  for (const { organization } of shops)
    await rows(
      `insert into alerts (organization_id, kind, subject, message, first_at, last_at, resolved_at)
       select '${organization.id}', 'test', at::text, 'a', at, at, at
         from unnest(array[now(), now() - interval '500 days']) as at`,
    );

  await runHousekeeping(at.app.exchange);
  assert.deepEqual(await rows("select message from alerts where kind = 'housekeeping'"), []);
  const [left] = await rows(`select count(*)::int as count from alerts where kind = 'test'`);
  assert.equal(left?.count, shops.length);

  const results = await Promise.all(
    [...shops, ...shops].map(({ organization }) =>
      at.app.database.receipts
        .within(organization.id)
        .writeOnce((scope) => recordEvents(scope, 'zipnova', [IN_TRANSIT])),
    ),
  );
  assert.equal(results.flat().filter(({ isDuplicate }) => !isDuplicate).length, shops.length);
});

test('on two workers a client that follows changes misses none, also where COMMIT PREPARED is late', {
  skip: noCitus,
  timeout: 300_000,
}, async (t) => {
  const { at, shops, late, isOnWorker } = stage;
  const places = await Promise.all(shops.map((shop) => isOnWorker(shop.organization.id)));
  assert.deepEqual(new Set(places), new Set([true, false]), 'both workers have organisations');
  const before = late();
  const followers = shops.flatMap((shop) =>
    (['as_of', 'largest'] as const).map((way) => follow(at.url, shop.key, way)),
  );

  const versions = Array.from({ length: ROUNDS }, (_, round) => round + 1);
  for (const version of versions)
    await Promise.all(
      shops.map((shop) =>
        shop.record(Array.from({ length: ORDERS }, (_, number) => order(number, version))),
      ),
    );
  await soon(() => {
    for (const { copy } of followers)
      for (let number = 0; number < ORDERS; number++)
        assert.equal(
          copy.get(`orden-${number}`)?.items[0]?.sku,
          String(ROUNDS),
          `missed: orden-${number}`,
        );
  }, 20_000);
  for (const { stop } of followers) await stop();

  assert.ok(late() > before, 'no transaction was committed in two phases');
  const changes = ROUNDS * ORDERS * shops.length;
  reportFigure(
    t,
    `delta on a coordinator and two workers: ${changes} changes, ` +
      `${late() - before} times COMMIT PREPARED ${LATE_MS} ms late: 0 missed by as_of and by largest`,
  );
});

test('while a worker is gone only its organisations get 503, and they are answered again once it is back', {
  skip: noCitus,
  timeout: 300_000,
}, async () => {
  const { at, shops, worker, isOnWorker } = stage;
  for (const shop of shops) await shop.record([order(0, ROUNDS + 1)]);
  const statuses = () =>
    Promise.all(shops.map(async (shop) => (await shop.api('/v1/orders/orden-0')).status));
  const all = shops.map(() => 200);
  assert.deepEqual(await statuses(), all);
  const expected = await Promise.all(
    shops.map(async (shop) => ((await isOnWorker(shop.organization.id)) ? 503 : 200)),
  );

  await worker.stop();
  assert.deepEqual(await statuses(), expected);
  assert.equal((await at.api('/v1/me')).status, 200);
  await worker.start();
  await soon(async () => assert.deepEqual(await statuses(), all), 20_000);
});

function order(number: number, version: number) {
  return reportedOrder({ id: `orden-${number}`, status: 'paid', version });
}

async function openStage() {
  const servers = await openDistributed(end, LATE_MS);
  const at = await openApp(end, {
    database: 'elsewhere',
    plan: 'experto',
    clock: { ...systemClock, advance() {} },
    env: servers.env,
  });
  const shops: TestApp[] = [];
  const places = new Set<boolean>();
  while (shops.length < SHOPS || places.size < 2) {
    const shop = await at.another('experto');
    await shop.setPlan('experto', NO_LIMIT);
    places.add(await servers.isOnWorker(shop.organization.id));
    shops.push(shop);
  }
  return { ...servers, at, shops };
}
