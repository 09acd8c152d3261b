import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceShipmentEvent } from '../../src/carriers/contract.ts';
import { planDue } from '../../src/entrances/jobs/worker.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { raiseAlert } from '../../src/features/alerts/index.ts';
import { planMissing } from '../../src/features/schedules/index.ts';
import { recordEvents } from '../../src/features/shipments/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { soon } from '../spec/support/soon.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { addressOf, push } from '../support/paquetexpress.ts';
import { noCitus, openDistributed, refusedStatements } from './support/citus.ts';
import { follow } from './support/follower.ts';
import { openLoad, tally } from './support/load.ts';
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
/** Of the load before, during and after the absence of a worker. */
const PHASE_MS = 2_000;
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
        .write((scope) => recordEvents(scope, 'zipnova', [IN_TRANSIT], 'several')),
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

test('a worker is killed under load: only its organisations get 503, sync runs of the others are planned, and nothing accepted is lost', {
  skip: noCitus,
  timeout: 300_000,
}, async (t) => {
  const { at, shops, worker, isOnWorker } = stage;
  const version = ROUNDS + 1;
  for (const shop of shops) await shop.record([order(0, version)]);
  const isGone = await Promise.all(shops.map((shop) => isOnWorker(shop.organization.id)));
  const loads = shops.map((shop) =>
    openLoad(at.url, shop.key, 2, (caller) => caller.get('/v1/orders/orden-0')),
  );
  const present = shops[isGone.indexOf(false)] as TestApp;
  const address = await addressOf(at, present.organization);
  const writers = shops.map(keepRecording);
  const acceptedBy = () => writers.map((writer) => writer.accepted());
  t.after(() => Promise.all([...loads, ...writers].map((one) => one.stop())));
  await sleep(PHASE_MS);

  await worker.stop();
  const stoppedAt = performance.now();
  const acceptedThen = acceptedBy();
  let begins: number;
  try {
    await sleep(PHASE_MS);
    assert.deepEqual(await planOne(at, present), ['sync']);
    await goesOn(at, present);
    await takesEvents(address);
    assert.equal((await at.api('/v1/me')).status, 200);
    begins = performance.now();
    for (const [index, count] of acceptedBy().entries())
      if (!isGone[index]) assert.ok(count > (acceptedThen[index] ?? 0) + 5, 'others are recorded');
  } finally {
    await worker.start();
  }
  const startedAt = performance.now();
  const away = shops.filter((_, index) => isGone[index]);
  await soon(async () => {
    for (const shop of away) assert.equal((await shop.api('/v1/orders/orden-0')).status, 200);
  }, 20_000);
  const back = performance.now() - startedAt;
  await sleep(PHASE_MS);

  const accepted = await Promise.all(writers.map((writer) => writer.stop()));
  const asked = await Promise.all(loads.map((load) => load.stop()));
  for (const [index, shop] of shops.entries()) {
    const found = Object.keys(tally(asked[index] ?? []));
    if (!isGone[index]) assert.deepEqual(found, ['200'], 'its server was there');
    else assert.deepEqual(found.toSorted(), ['200', '503'], 'its server was away');
    const { rows, of } = accepted[index] as { rows: Map<string, number>; of: number };
    assert.ok(of > 0);
    for (const [id, last] of rows) {
      const kept = JSON.parse((await shop.api(`/v1/orders/${id}`)).text);
      assert.ok(Number(kept.data.items[0].sku) >= last, `${id}: version ${last} was accepted`);
    }
  }
  const meanwhile = asked.flatMap((some, index) =>
    isGone[index]
      ? []
      : some.filter(({ sentAt }) => sentAt > stoppedAt && sentAt < begins).map(() => index),
  );
  assert.ok(meanwhile.length > 0, 'others were answered meanwhile');
  reportFigure(
    t,
    `a worker killed under load: ${away.length} of ${shops.length} organisations got 503, ` +
      `${meanwhile.length} requests of the others were answered meanwhile, all back ${Math.round(back)} ms after its start, ` +
      `0 of ${accepted.reduce((sum, { of }) => sum + of, 0)} accepted changes lost`,
  );
});

/** Webhooks of carriers, for an organisation whose server is there. */
async function takesEvents(address: string): Promise<void> {
  const event = { rastreo: 'guia-2', eventoId: 'TRN', fechahora: systemClock.millis() };
  const answers = [await push(address, event), await push(address, event)];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.duplicate]),
    [
      [200, false],
      [200, true],
    ],
  );
}

/** Work that is searched for over all organisations, while some of them are away. */
async function goesOn(at: TestApp, present: TestApp): Promise<void> {
  const { id } = present.organization;
  await ask(
    stage.coordinator,
    `insert into shipments_to_settle (organization_id, carrier, account_ids, shipment_ids)
     values ('${id}', 'zipnova', '{a}', '{b}')`,
  );
  await at.app.database.within(id).write(async (scope) => {
    const old = at.clock
      .now()
      .subtract({ hours: 24 * 500 })
      .toString();
    await raiseAlert(scope, { kind: 'test', subject: 'while away', message: 'a' });
    const over = { first_at: old, last_at: old, resolved_at: old };
    await scope.rows(scope.update('alerts').set(over).where('subject', '=', 'while away'));
  });
  const left = () =>
    at.app.database
      .within(id)
      .read((scope) =>
        scope.rows(scope.select('alerts').select('subject').where('subject', '=', 'while away')),
      );
  assert.equal((await left()).length, 1);
  await ask(stage.coordinator, `delete from rerenderings where organization_id = '${id}'`);
  await runHousekeeping(at.app.exchange);
  assert.deepEqual(await left(), [], 'the housekeeping goes on');
  const begun = await at.app.database
    .within(id)
    .read((scope) => scope.rows(scope.select('rerenderings').select('due_at')));
  assert.equal(begun.length, 1, 'the re-rendering begins');
  await planDue(at.app.exchange);
  assert.deepEqual(
    await ask(
      stage.coordinator,
      `select distinct data->>'organizationId' as id from queue.job where name = 'settle'
          and data->>'organizationId' = '${id}'`,
    ),
    [{ id }],
    'events of carriers are applied',
  );
}

/** One changed order after the other. @returns what was accepted, by order: its last version */
function keepRecording(shop: TestApp) {
  const rows = new Map<string, number>();
  let of = 0;
  let goesOn = true;
  const done = (async () => {
    for (let version = 1; goesOn; version++) {
      const number = 100 + (version % ORDERS);
      const isAccepted = await shop.record([order(number, version)]).then(
        () => true,
        () => sleep(50, false),
      );
      if (!isAccepted) continue;
      rows.set(`orden-${number}`, version);
      of += 1;
    }
  })();
  return {
    accepted: () => of,
    async stop() {
      goesOn = false;
      await done;
      return { rows, of };
    },
  };
}

/** @returns the tasks of this shop that a tick claimed */
async function planOne(at: TestApp, shop: TestApp): Promise<string[]> {
  const subject = `${newId()}:orders`;
  const planned = { organizationId: shop.organization.id, task: 'sync', subject } as const;
  await at.app.database.write((handle) =>
    planMissing(handle, [{ ...planned, everySeconds: 300 }], at.clock.now()),
  );
  await planDue(at.app.exchange);
  const claimed = await ask(
    stage.coordinator,
    `select task from schedules where subject = '${subject}' and claimed_at is not null`,
  );
  await ask(stage.coordinator, `delete from schedules where subject = '${subject}'`);
  return claimed.map(({ task }) => String(task));
}

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
