import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openApp, type TestApp } from './support/app.ts';
import type { Stand } from './support/stand.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { STANDS } from './support/stands.ts';

// An answer larger than 8 MB is not read, whichever marketplace gives it: every list is asked for
// fewer rows, and what is too large alone costs itself alone. CONNECTOR=<slug> runs one of them.

const MB = 2 ** 20;
const MOST = 8 * MB;

describe('pages that are too large', () => {
  let app: TestApp;
  const closers: (() => unknown)[] = [];
  before(async () => {
    app = await openApp({ after: (close) => void closers.push(close as () => unknown) });
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  for (const stand of STANDS) {
    const { marketplace, pageSize, lists = stand.pages } = stand;
    const { CONNECTOR: only = marketplace } = process.env;
    const skip = only !== marketplace;
    test(nameOf(stand), { tags: ['slow'], skip }, async (t) => {
      const orders = Math.ceil(1.3 * pageSize);
      const seed = `large pages ${marketplace} ${pageSize}`;
      const stage = await openStage(app, stand, { seed, orders });
      t.after(stage.shop.close);
      const placed = stage.shop.world.orders();
      // One that every list shows: it was paid and not cancelled.
      const large = placed[Math.floor(orders / 20) * 10 + 1];
      assert.ok(large);
      const largeId = stage.truth(large).id;
      const bytes = new Map(
        placed.map((order) => [stage.truth(order).id, Math.ceil((1.2 * MOST) / pageSize)]),
      );
      stage.shop.faults.swell({
        match: lists,
        bytes: bytes.set(largeId, MOST + MB),
      });

      await stage.reconcile();
      // A tight limit makes it take hours.
      for (let runs = 0; (await stage.progress()).run && runs < 5; runs++) await stage.reconcile();

      const wanted = shownOf(stage, stand);
      const had = new Set((await stage.orders()).map(({ id }) => id));
      assert.deepEqual(
        wanted.filter((id) => !had.has(id)),
        [largeId],
        'all the others are there',
      );
      assert.deepEqual(await stage.connection().then(({ state }) => state), 'ok');
      await assertReported(stage);

      stage.shop.faults.stop();
      await stage.hint(large);
      await stage.reconcile();
      await stage.holdToAccount();
    });
  }
});

/** The orders that the lists show, by id. */
function shownOf(stage: Stage, stand: Stand): string[] {
  const at = stage.clock.now().epochMilliseconds;
  return stage.shop.world
    .orders()
    .filter((order) => !stand.hides?.(order, at))
    .map((order) => stage.truth(order).id);
}

/** The large row is set aside, and the seller is alerted once. */
async function assertReported(stage: Stage): Promise<void> {
  const aside = await stage.unreadable();
  assert.deepEqual(
    [...new Set(aside.map(({ reason }) => reason))],
    ['(whole): larger than an answer may be'],
  );
  const alerts = (await stage.alerts('too_large')).filter(
    ({ resolved_at }) => resolved_at === null,
  );
  const messages = alerts.map(({ message }) => message);
  assert.equal(messages.length, 1);
  for (const message of messages)
    assert.match(message, /con más datos de los que podemos leer.+lo demás sigue entrando\.$/);
}

function nameOf({ marketplace, pageSize }: Stand): string {
  return `${marketplace} (pages of ${pageSize}): all orders come in but the one that is too large alone`;
}
