import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTiktokShop } from '../simulators/tiktok_shop/index.ts';
import { syncJob } from '../src/exchange/jobs/sync.ts';
import { openApp } from './support/app.ts';
import { alertsOf } from './support/market.ts';
import { liverpool } from './support/stand-mirakl.ts';
import { openStage, type Stage } from './support/stand-stage.ts';

// A row that is too large in a list that does not show its id: the alert lasts until the time from
// which it came was read again without it.

const TOO_LARGE = 9 * 2 ** 20;

test('a new order without a name is read again a day later, and then its alert ends', {
  tags: ['slow'],
}, async (t) => {
  const stage = await openStage(await openApp(t), liverpool, { seed: t.name, orders: 10 });
  t.after(stage.shop.close);
  await stage.reconcile();
  const id = sellLarge();

  await stage.reconcile();
  assert.deepEqual(await openAlerts(), 1);
  assert.ok(!(await idsHere()).includes(id));
  stage.clock.advance({ minutes: 30 });
  sell();
  await stage.reconcile();
  stage.shop.faults.stop();
  await stage.reconcile();
  assert.deepEqual(await openAlerts(), 1, 'the runs since then did not show it');
  await stage.tick(stage.parts, { hours: 25 });

  assert.ok((await idsHere()).includes(id));
  assert.deepEqual(await openAlerts(), 0);
  assert.deepEqual(await stage.unreadable(), []);

  function sellLarge(): string {
    const sold = sell();
    stage.shop.faults.swell({ match: liverpool.pages, bytes: new Map([[sold, TOO_LARGE]]) });
    return sold;
  }
  function sell(): string {
    return sellAt(stage);
  }
  async function idsHere(): Promise<string[]> {
    return (await stage.orders()).map(({ id: stored }) => stored);
  }
  async function openAlerts(): Promise<number> {
    return openAlertsOf(stage);
  }
});

test('six new orders in a row without a name cost only themselves', {
  tags: ['slow'],
}, async (t) => {
  const stage = await openStage(await openApp(t), liverpool, { seed: t.name, orders: 10 });
  t.after(stage.shop.close);
  await stage.reconcile();
  const large = Array.from({ length: 6 }, () => sellAt(stage));
  const bytes = new Map(large.map((id) => [id, TOO_LARGE]));
  stage.shop.faults.swell({ match: liverpool.pages, bytes });
  stage.clock.advance({ minutes: 1 });
  const behind = sellAt(stage);

  await stage.tick();

  const here = (await stage.orders()).map(({ id }) => id);
  assert.ok(here.includes(behind));
  assert.deepEqual(
    large.filter((id) => here.includes(id)),
    [],
  );
  assert.equal((await stage.connection()).state, 'ok');
  assert.equal(await openAlertsOf(stage), 1);
});

test('an order without a name that only the first import met is read again after a week', async (t) => {
  const stage = await openStage(await openApp(t), liverpool, { seed: t.name, orders: 10 });
  t.after(stage.shop.close);
  const large = sellAt(stage);
  stage.shop.faults.swell({ match: liverpool.pages, bytes: new Map([[large, TOO_LARGE]]) });
  // One that can be read, so that no later window begins before the large one.
  stage.clock.advance({ hours: 48 });
  sellAt(stage);
  await stage.reconcile();
  stage.shop.faults.stop();
  await stage.tick(stage.parts, { hours: 25 });
  const early = await openAlertsOf(stage);

  await stage.tick(stage.parts, { hours: 7 * 24 });

  assert.equal(early, 1, 'not before');
  assert.ok((await stage.orders()).some(({ id }) => id === large));
  assert.equal(await openAlertsOf(stage), 0);
  assert.deepEqual(await stage.unreadable(), []);
});

test('a payout without a name is read again, although its stream has no reconciliations', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, { plan: 'experto' });
  const now = () => own.clock.now().epochMilliseconds;
  const shop = await startTiktokShop({ seed: t.name, now });
  t.after(shop.close);
  const id = await own.connect('tiktok_shop', { url: shop.url, credentials: shop.credentials() });
  const sync = async () => {
    const job = { organizationId: own.organization.id, subject: `${id}:settlements` };
    await syncJob.run(own.app.exchange, job);
    const alerts = await alertsOf(own, own.organization.id);
    return alerts.filter(({ kind }) => kind === 'too_large').length;
  };
  const earn = (...prices: string[]) => {
    for (const unitPrice of prices) {
      shop.world.deliver(shop.world.place({ lines: [{ unitPrice, quantity: 1 }] }).id);
      own.clock.advance({ hours: 24 });
    }
  };
  earn('100.00', '200.00', '300.00');
  await sync();
  // The statements before it are read, so that later windows begin later.
  earn('100.00', '200.00', '777.00');
  const bytes = new Map([['777.00', TOO_LARGE]]);
  shop.faults.swell({ match: /\/statements\?/, bytes });
  const raised = await sync();
  shop.faults.stop();

  earn('100.00');
  const early = await sync();
  own.clock.advance({ hours: 8 * 24 });

  assert.deepEqual([raised, early, await sync()], [1, 1, 0]);
});

/** An order that nothing happens to afterwards. */
function sellAt(stage: Stage): string {
  const order = stage.shop.world.place();
  stage.shop.world.pay(order.id);
  return stage.truth(order).id;
}

async function openAlertsOf(stage: Stage): Promise<number> {
  const alerts = await stage.alerts('too_large');
  return alerts.filter(({ resolved_at }) => resolved_at === null).length;
}
