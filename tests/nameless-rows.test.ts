import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp } from './support/app.ts';
import { liverpool } from './support/stand-mirakl.ts';
import { openStage } from './support/stand-stage.ts';

// A row that is too large in a list that does not show its id: the alert lasts until the time from
// which it came was read again without it.

const TOO_LARGE = 9 * 2 ** 20;

test('a new order without a name is read again a day later, and then its alert ends', async (t) => {
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

  /** An order that nothing happens to afterwards. */
  function sellLarge(): string {
    const sold = sell();
    stage.shop.faults.swell({ match: liverpool.pages, bytes: new Map([[sold, TOO_LARGE]]) });
    return sold;
  }
  function sell(): string {
    const order = stage.shop.world.place();
    stage.shop.world.pay(order.id);
    return stage.truth(order).id;
  }
  async function idsHere(): Promise<string[]> {
    return (await stage.orders()).map(({ id: stored }) => stored);
  }
  async function openAlerts(): Promise<number> {
    return (await stage.alerts('too_large')).filter(({ resolved_at }) => resolved_at === null)
      .length;
  }
});
