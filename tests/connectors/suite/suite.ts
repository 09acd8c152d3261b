import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Dice, dice } from '../../../simulators/dice.ts';
import { BROKEN_ANSWERS, type FaultKind } from '../../../simulators/faults.ts';
import { type Order, type State, stateAt } from '../../../simulators/order.ts';
import { UpstreamError } from '../../../src/connectors/upstream-error.ts';
import { connect } from '../../../src/exchange/connect/connect.ts';
import { listConnections } from '../../../src/features/connections/index.ts';
import { openBreakers } from '../../../src/platform/breaker.ts';
import { Failure } from '../../../src/platform/failure.ts';
import { reportFigure } from '../../reliability/support/profile.ts';
import { openApp, type TestApp } from '../../support/app.ts';
import { act } from '../../support/lives.ts';
import { assertReported, wrongFields } from '../../support/reported-orders.ts';
import { iso, type Scenario, type Shop, type Stand } from '../../support/stand.ts';
import { holding, impatient } from '../../support/stand-network.ts';
import { join, openShop, openStage, type Stage } from '../../support/stand-stage.ts';

// What every marketplace's connector must withstand, against its simulator and through the API.
// Each has a file of its own beside this one. SEED=<text> repeats what chance did.

const INTERLEAVINGS = Number(process.env.INTERLEAVINGS ?? 12);
const INTERLEAVINGS_OF_A_SHOP = 200;
const SEED = process.env.SEED ?? 'tianguis';

/**
 * What chance does to any call. A token that is refused twice in a row is rightly held for dead.
 */
const PASSING: readonly FaultKind[] = [
  'too_many',
  'too_many_retry_after',
  'server_error',
  'bad_gateway',
  'reset',
  'truncated',
  'garbage',
];
/** Longer than any answer of a simulator takes on a busy machine. */
const PATIENCE_MS = 1_500;
/**
 * Each call fails with this probability, for at least so many calls (the battery takes more) and
 * ticks.
 */
const FAULTY = 0.05;
const CALLS = Number(process.env.FAULTY_CALLS ?? 150);
const TICKS = CALLS / 10;
const MOST_RETRIES = 0.1;
const HOUR = 3_600_000;
/** Scenarios about calls and pages, which do not depend on what the documents look like. */
const ON_THE_WAY: ReadonlySet<Scenario> = new Set<Scenario>([
  'drift',
  'too many',
  'expired token',
  'dead token',
  'broken answers',
  'broken for long',
  'duplicate page',
  'shuffled page',
  'endless page',
  'resume',
  'random faults',
  'interleavings',
]);
/** They make many calls, or wait. */
const SLOW: ReadonlySet<Scenario> = new Set<Scenario>([
  'drift',
  'broken answers',
  'broken for long',
  'duplicate page',
  'endless page',
  'resume',
  'random faults',
  'interleavings',
]);
/** What a walk without an end may cost until it is stopped. */
const MOST_RUNAWAY_CALLS = 400;

export function runSuite(stand: Stand): void {
  describe(stand.marketplace, () => defineSuite(stand));
}

/** What the scenarios of a marketplace share. */
interface Suite {
  readonly stand: Stand;
  /** So many orders. */
  readonly pages: number;
  readonly onePageMore: number;
  /** The app, once it is open. */
  opened(): TestApp;
  /** With a shop of so many orders, connected and not walked yet. */
  scenario(
    name: Scenario,
    sentence: string,
    orders: number,
    play: (stage: Stage, t: TestContext) => Promise<void>,
    options?: { limited?: boolean },
  ): void;
}

function defineSuite(stand: Stand): void {
  let instance: TestApp;
  const closers: (() => unknown)[] = [];
  before(async () => {
    instance = await openApp({ after: (close) => void closers.push(close as () => unknown) });
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  const scenario: Suite['scenario'] = (name, sentence, orders, play, { limited = false } = {}) => {
    test(sentence, { skip: reasonToSkip(stand, name), tags: tagsOf(stand, name) }, async (t) => {
      const seed = `${stand.marketplace} ${name}`;
      const stage = await openStage(instance, stand, { seed, orders, limited });
      t.after(stage.shop.close);
      await play(stage, t);
    });
  };

  // A fifth of them are cancelled, which some marketplaces leave out of their lists.
  const pages = 3 * stand.pageSize;
  // When a page of a first import is stored, the next one is requested already: what happens then
  // meets the one after it.
  const onePageMore = 4 * stand.pageSize;

  const suite = { stand, scenario, pages, onePageMore, opened: () => instance };
  testReading(suite);
  testDriftAndLimits(suite);
  testTokens(suite);
  testBrokenAnswers(suite);
  testBrokenRowsAndPages(suite);
  testEndlessPagesAndStatuses(suite);
  testResuming(suite);
  testChance(suite);
  testRefusedCredentials(suite);
}

function testReading({ scenario, pages }: Suite): void {
  scenario(
    'first import',
    'a first import brings every order, field by field, within the limit',
    pages,
    async (stage) => {
      await stage.reconcile();

      await stage.holdToAccount();
      assert.equal((await stage.connection()).state, 'ok');
      assert.deepEqual(await stage.unreadable(), []);
      assert.deepEqual(
        stage.shop.requests.filter(({ status }) => status === 429),
        [],
      );
    },
    { limited: true },
  );

  scenario('delta', 'an order that changed is in the delta, and only it', 12, async (stage) => {
    await stage.reconcile();
    const first = await stage.orders();
    const paid = anOrderThatIs(stage.shop, 'paid');

    await stage.reconcile();
    const second = await stage.orders();
    act(stage.shop, paid.id, 'shipped');
    await stage.tick();
    const delta = await stage.orders({ updated_since: justAfter(second) });

    assert.deepEqual(second, first, 'what did not change was not written again');
    assertReported(delta, [stage.allowed(paid)]);
    await stage.holdToAccount();
  });

  scenario(
    'push',
    'each kind of webhook about an order brings it at once, with all of its cart',
    3,
    async (stage) => {
      await stage.walk();
      const [one, two] = stage.shop.world.placeCart([{}, {}]) as [Order, Order];
      for (const { id } of [one, two]) act(stage.shop, id, 'paid');

      await stage.hint(one);
      await stage.hint(two);
      await stage.holdToAccount('new orders came');

      const states = ['shipped', 'delivered', 'returned'] as const;
      for (const [index, name] of stage.hints(one).entries()) {
        stage.clock.advance({ minutes: 7 });
        act(stage.shop, one.id, states[index] ?? 'refunded');
        await stage.hint(one, stage.parts, name);
        if (index === 0) await stage.hint(two);
        await stage.holdToAccount(`reported as ${name}`);
      }
    },
  );
}

function testDriftAndLimits({ stand, scenario, pages }: Suite): void {
  scenario(
    'drift',
    'orders that come and change while a walk is under way are not missed',
    pages,
    async (stage) => {
      const { world } = stage.shop;
      const drift = ({ pages: done }: { pages: number }) => {
        if (done > 3) return;
        for (const { id } of ordersThatAre(stage.shop, 'placed').slice(0, 2))
          act(stage.shop, id, 'paid');
        for (const { id } of ordersThatAre(stage.shop, 'paid').slice(0, 4))
          act(stage.shop, id, 'cancelled');
        for (const { id } of ordersThatAre(stage.shop, 'shipped').slice(0, 1))
          act(stage.shop, id, 'delivered');
        world.pay(world.place().id);
      };

      await stage.walk({ onPage: drift });
      await stage.reconcile();
      await stage.holdToAccount('after a first import');

      // The instance slept, and more than a page of orders changed meanwhile.
      for (let count = 0; count < stand.pageSize + 10; count++) {
        stage.clock.advance({ minutes: 9 });
        world.pay(world.place().id);
      }
      await stage.walk({ onPage: drift });
      await stage.reconcile();
      await stage.holdToAccount('after a delta');
    },
  );

  scenario(
    'too many',
    'a service that says «too many» is given the pause that it asks for',
    6,
    async (stage) => {
      const { faults, requests } = stage.shop;
      await stage.reconcile();

      act(stage.shop, anOrderThatIs(stage.shop, 'paid').id, 'shipped');
      faults.next({ kind: 'too_many_retry_after', retryAfter: 17, match: stand.pages });
      faults.next({ kind: 'too_many', match: stand.pages, times: 2 });
      await stage.tick();
      const refused = requests.findLastIndex(({ fault }) => fault === 'too_many_retry_after');
      const [reported, , , then] = requests
        .slice(refused)
        .filter(({ path }) => stand.pages.test(path));

      assert.equal(faults.waiting(), 0);
      assert.ok(reported && then && requests[refused + 1]);
      assert.ok(
        (requests[refused + 1]?.at ?? 0) - reported.at >= 17_000,
        'nothing was asked before the 17 s were over',
      );
      assert.equal((await stage.connection()).state, 'ok');
      await stage.holdToAccount();

      // A pause that is too long to wait for: the walk is put off.
      act(stage.shop, anOrderThatIs(stage.shop, 'shipped').id, 'delivered');
      faults.next({ kind: 'too_many_retry_after', retryAfter: 600, match: stand.pages });
      const before = requests.length;
      await stage.tick();
      assert.equal(requests.length, before + 1, 'one call, and none after it');
      assert.equal((await stage.connection()).state, 'delayed');
      assert.match((await stage.connection()).stateMessage ?? '', /nos pidió ir más despacio/);

      stage.clock.advance({ seconds: 600 });
      await stage.reconcile();
      assert.equal((await stage.connection()).state, 'ok');
      await stage.holdToAccount();
    },
  );
}

function testTokens({ stand, scenario }: Suite): void {
  scenario('expired token', 'a token that ended is renewed once, by any call', 6, async (stage) => {
    await stage.reconcile();
    const renewals = () =>
      stage.shop.requests.filter(({ path }) => stand.tokens?.test(path)).length;
    const order = anOrderThatIs(stage.shop, 'paid');
    act(stage.shop, order.id, 'shipped');
    stage.shop.expireTokens?.();
    const before = renewals();

    await Promise.all([
      stage.tick(),
      stage.hint(order),
      stage.hint(anOrderThatIs(stage.shop, 'placed')),
    ]);

    assert.equal(renewals() - before, 1);
    assert.equal((await stage.connection()).state, 'ok');
    await stage.holdToAccount();
    await stage.reconcile();
    assert.equal(renewals() - before, 1, 'the renewed token was kept');
  });

  scenario(
    'dead token',
    'where renewing fails too the seller is asked to connect again',
    6,
    async (stage) => {
      const { shop } = stage;
      await stage.reconcile();
      const had = await stage.orders();
      act(shop, anOrderThatIs(shop, 'paid').id, 'shipped');
      shop.revoke?.();

      await stage.tick();
      const first = await stage.connection();
      assert.equal(first.state, 'delayed');
      assert.match(first.stateMessage ?? '', /rechazó nuestro acceso/);
      assert.deepEqual(await stage.alerts('connection'), [], 'no alert is raised yet');

      await stage.retryAccess();
      const { state, stateMessage } = await stage.connection();
      assert.equal(state, 'reauth_required');
      assert.match(stateMessage ?? '', /Reconéctala/);
      assert.equal(
        (await stage.alerts('connection')).filter(({ resolved_at }) => resolved_at === null).length,
        1,
      );
      assert.deepEqual(await stage.orders(), had, 'what was there stays');

      await stage.reconnect(shop.credentials());
      await stage.reconcile();
      assert.equal((await stage.connection()).state, 'ok');
      assert.deepEqual(
        (await stage.alerts('connection')).filter(({ resolved_at }) => resolved_at === null),
        [],
      );
      await stage.holdToAccount();
    },
  );
}

function testBrokenAnswers({ stand, scenario }: Suite): void {
  scenario(
    'broken answers',
    'a broken answer is requested again',
    BROKEN_ANSWERS.length + 3,
    async (stage) => {
      await stage.reconcile();

      for (const kind of BROKEN_ANSWERS) {
        const parts = partsFor(kind, stage);
        move(stage.shop);
        stage.shop.faults.next({ kind, match: stand.pages });
        await stage.tick(parts);

        assert.equal(stage.shop.faults.waiting(), 0, kind);
        assert.equal((await stage.connection()).state, 'ok', kind);
        await stage.holdToAccount(kind);
      }
    },
  );

  scenario(
    'broken for long',
    'answers that stay broken delay a connection and lose nothing',
    10,
    async (stage) => {
      await stage.reconcile();

      for (const kind of BROKEN_ANSWERS) {
        const parts = partsFor(kind, stage);
        move(stage.shop);
        const had = await stage.orders();
        stage.shop.faults.next({ kind, match: stand.pages, times: 1_000 });
        await stage.tick(parts);
        if (kind !== 'huge' || !stand.leavesLargeOut) await assertStopped(stage, kind);
        assert.deepEqual(await stage.orders(), had, kind);

        // Longer than any overlap.
        stage.shop.faults.stop();
        stage.shop.faults.next({ kind: 'bad_gateway', match: stand.pages, times: 1_000 });
        await stage.tick(parts, { hours: 5 });
        stage.shop.faults.stop();
        await stage.tick();
        await stage.tick();
        assert.equal((await stage.connection()).state, 'ok', kind);
        await stage.holdToAccount(kind);
      }
    },
  );
}

function testBrokenRowsAndPages({ stand, scenario, pages, onePageMore }: Suite): void {
  scenario(
    'unreadable row',
    'an unreadable row is set aside, and comes in once it can be read',
    9,
    async (stage) => {
      const { field, value, path } = stand.unreadable;
      stage.shop.faults.next({
        kind: 'wrong_type',
        field,
        value,
        match: stand.rows ?? stand.pages,
      });
      await stage.walk();
      const had = (await stage.orders()).map(({ id }) => id);
      const [aside, ...others] = await stage.unreadable();

      assert.ok(aside);
      assert.deepEqual(others, []);
      assert.ok(aside.reason.startsWith(`${path}:`), aside.reason);
      const at = stage.clock.now().epochMilliseconds;
      const expected = stage.shop.world
        .orders()
        .filter((order) => !stand.hides?.(order, at) || had.includes(stage.truth(order).id))
        .map((order) => stage.truth(order).id);
      assert.deepEqual(
        had.toSorted(),
        expected.filter((id) => id !== aside.external_id).toSorted(),
        'all but that row',
      );

      await stage.reconcile();
      await stage.holdToAccount();
      assert.deepEqual(await stage.unreadable(), [], 'nothing is set aside any more');
    },
  );

  scenario(
    'duplicate page',
    'a page that comes twice costs no order',
    onePageMore,
    async (stage) => {
      await walkOrStop(stage, ({ pages: done }) => {
        if (done === 1) stage.shop.faults.next({ kind: 'duplicate_page', match: stand.pages });
      });
      await stage.reconcile();

      assert.equal(stage.shop.faults.waiting(), 0);
      await stage.holdToAccount();
    },
  );

  scenario('shuffled page', 'rows in another order are the same rows', pages, async (stage) => {
    stage.shop.faults.next({ kind: 'shuffled_page', match: stand.pages, times: 1_000 });
    await stage.reconcile();

    await stage.holdToAccount();
  });
}

function testEndlessPagesAndStatuses({ stand, scenario, onePageMore }: Suite): void {
  scenario(
    'endless page',
    'a page that repeats for ever ends the walk, and loses nothing',
    onePageMore,
    async (stage) => {
      const { faults, requests } = stage.shop;
      let before = 0;
      const stopped = await walkOrStop(stage, ({ pages: done }) => {
        if (done !== 1) return;
        before = requests.length;
        faults.next({ kind: 'endless_page', match: stand.pages, times: 1_000_000 });
      });

      assert.equal(stopped, 'runaway');
      assert.ok(requests.length - before < MOST_RUNAWAY_CALLS, `${requests.length - before} calls`);
      assert.equal((await stage.connection()).state, 'error');
      assert.match((await stage.connection()).stateMessage ?? '', /repite la misma página/);

      faults.stop();
      await stage.reconcile();
      await stage.reconcile();
      assert.equal((await stage.connection()).state, 'ok');
      await stage.holdToAccount();
    },
  );

  scenario(
    'unknown status',
    'an unknown status is stored unchanged, and reported once',
    9,
    async (stage) => {
      const { field, word, native } = stand.unknown;
      const match = stand.rows ?? stand.pages;
      stage.shop.faults.next({ kind: 'wrong_type', field, value: word, match });
      await stage.walk();
      const [odd, ...others] = await stage.orders({ status: 'unknown' });
      assert.ok(odd);
      assert.deepEqual(others, []);
      assert.equal((await stage.order(odd.id)).marketplace_status, native);
      const [alert, ...more] = await stage.alerts('unknown_order_status');
      assert.match(alert?.message ?? '', new RegExp(native));
      assert.deepEqual(more, []);

      await stage.reconcile();
      await stage.holdToAccount('the known status came back');
    },
  );
}

function testResuming({ stand, scenario, onePageMore, opened }: Suite): void {
  test('a walk that is cut off goes on from its checkpoint', {
    skip: reasonToSkip(stand, 'resume'),
    tags: tagsOf(stand, 'resume'),
  }, async (t) => {
    const shop = await openShop(opened(), stand, {
      seed: `${stand.marketplace} resume`,
      orders: onePageMore,
    });
    t.after(shop.close);
    const asked = () =>
      shop.requests.filter(({ path, fault }) => fault === null && stand.pages.test(path)).length;
    const whole = await join(opened(), stand, shop);
    await whole.walk();
    const inOneGo = asked();
    const cut = await join(opened(), stand, shop);

    const stopped = await walkOrStop(cut, ({ pages: done }) => {
      if (done === 2) shop.faults.next({ kind: 'server_error', match: stand.pages, times: 1_000 });
    });
    const { run } = await cut.progress();
    shop.faults.stop();
    await cut.walk({ parts: { ...cut.parts, breakers: openBreakers(opened().clock) } });

    assert.equal(stopped, 'unreachable');
    assert.ok(run?.position, 'the checkpoint stands behind a page');
    assert.equal(asked() - inOneGo, inOneGo, 'no page was asked for twice');
    await cut.holdToAccount();
  });

  scenario(
    'shifted clock',
    'a marketplace whose clock ran ahead loses no later change',
    6,
    async (stage) => {
      await stage.reconcile();
      await stage.tick(stage.parts, { hours: 6 });
      const order = anOrderThatIs(stage.shop, 'paid');

      act(stage.shop, order.id, 'shipped');
      stage.shop.faults.next({ kind: 'shifted_clock', times: 1_000 });
      await stage.tick();
      assert.equal((await stage.order(stage.truth(order).id)).status, 'shipped');
      stage.shop.faults.stop();
      stage.clock.advance({ minutes: 1 });
      act(stage.shop, order.id, 'delivered');
      await stage.tick();
      await stage.tick();

      const { id: shownId } = stage.truth(order);
      const shown = (await stage.orders()).filter(({ id }) => id === shownId);
      assertReported(shown, [stage.allowed(order)]);
    },
  );
}

function testChance({ stand, scenario, opened }: Suite): void {
  scenario(
    'random faults',
    'hours of random faults leave no trace, and no limit was exceeded',
    30,
    async (stage, t) => {
      const { faults, requests } = stage.shop;
      const chance = dice(SEED, stand.marketplace, 'faults');
      await stage.reconcile();
      const before = requests.length;

      faults.random({ probability: FAULTY, kinds: PASSING });
      for (let tick = 0; tick < TICKS || requests.length - before < CALLS; tick++) {
        for (let moves = chance.whole(0, 4); moves > 0; moves--) moveByChance(stage.shop, chance);
        if (tick % 10 === 7) stage.shop.expireTokens?.();
        await stage.tick(stage.parts, { minutes: 10 });
      }
      faults.stop();
      await stage.tick();
      await stage.tick(stage.parts, { hours: 1, minutes: 5 });

      await stage.holdToAccount();
      assert.equal((await stage.connection()).state, 'ok');
      const asked = requests.slice(before);
      const broken = asked.filter(({ fault }) => fault !== null).length;
      assert.ok(
        broken > 0 && broken / asked.length <= MOST_RETRIES,
        `${broken} of ${asked.length} calls broke`,
      );
      assert.deepEqual(
        requests.filter(({ status, fault }) => status === 429 && fault === null),
        [],
      );
      reportFigure(
        t,
        `R6 faults at ${stand.marketplace}: ${broken} of ${asked.length} calls broken by chance, every order right after`,
      );
    },
    { limited: true },
  );

  test(`what is older never replaces what is newer (${INTERLEAVINGS} times)`, {
    skip: reasonToSkip(stand, 'interleavings'),
    tags: tagsOf(stand, 'interleavings'),
    timeout: 60_000 + INTERLEAVINGS * 2_000,
  }, async (t) => {
    for (let from = 0; from < INTERLEAVINGS; from += INTERLEAVINGS_OF_A_SHOP) {
      const stage = await openStage(opened(), stand, {
        seed: `${SEED} interleavings ${from}`,
        orders: 0,
      });
      try {
        await stage.walk();
        const until = Math.min(from + INTERLEAVINGS_OF_A_SHOP, INTERLEAVINGS);
        for (let count = from; count < until; count++) await interleave(stage, count);
      } finally {
        await stage.shop.close();
      }
    }
    reportFigure(
      t,
      `R7 interleavings at ${stand.marketplace}: ${INTERLEAVINGS}, the newest version stands after each`,
    );
  });
}

function testRefusedCredentials({ stand, opened }: Suite): void {
  test('refused credentials give a message and are not stored', {
    skip: reasonToSkip(stand, 'wrong credentials'),
  }, async (t) => {
    const shop = await openShop(opened(), stand, { seed: 'wrong credentials', orders: 0 });
    t.after(shop.close);
    const { organization } = await opened().tenant();
    const attempt = (credentials: unknown) =>
      connect(opened().app.exchange, {
        organizationId: organization.id,
        service: stand.marketplace,
        credentials,
        baseUrl: shop.url,
      }).then(
        () => assert.fail('they were accepted'),
        (error: unknown) => error as Failure,
      );

    const refused = await attempt(stand.refused(shop.credentials() as never));
    const incomplete = await attempt({});
    const stored = await opened().app.database.within(organization.id).read(listConnections);

    assert.ok(refused instanceof Failure && incomplete instanceof Failure);
    assert.equal(refused.code, 'upstream_error');
    assert.match(
      refused.message,
      /no aceptó las credenciales\. Revísalas o genera unas nuevas|no da permiso/,
    );
    assert.equal(incomplete.code, 'invalid_request');
    assert.match(incomplete.message, /Las credenciales de .* no están completas/);
    assert.deepEqual(stored, []);
  });
}

/**
 * An answer with an order's old version is slow; meanwhile the order changes and another read of it
 * is stored. Then the slow answer arrives.
 */
async function interleave(stage: Stage, count: number): Promise<void> {
  const { shop, clock, stand } = stage;
  const chance = dice(SEED, stand.marketplace, 'interleaving', count);
  const pass = () => clock.advance({ seconds: chance.whole(1, 90) });
  clock.advance({ hours: 3 });
  const order = shop.world.place();
  const life = [...chance.pick(LIVES)];
  const change = () => {
    const next = life.shift();
    if (next) act(shop, order.id, next);
    pass();
  };
  for (let changes = chance.whole(0, 2); changes > 0; changes--) change();
  await stage.walk();
  const id = stage.truth(order).id;
  const network = holding(
    stage.parts.network,
    (_, { status, body }) => status === 200 && body.includes(id),
  );
  const parts = { ...stage.parts, network };
  const [isPageSlow, isChangedAfter] = [chance.chance(0.7), chance.chance(0.4)];

  const slow = isPageSlow ? stage.walk({ parts }) : stage.hint(order, parts);
  await Promise.race([network.held, slow]);
  pass();
  for (let changes = chance.whole(1, 2); changes > 0; changes--) change();
  const isListed = !stand.hides?.(order, clock.now().epochMilliseconds);
  if (isPageSlow || !isListed || chance.chance(0.5)) await stage.hint(order);
  else await stage.walk();
  const stored = stage.allowed(order);
  if (isChangedAfter) change();
  network.letGo();
  await slow;

  const recent = await stage.orders({
    updated_since: iso(clock.now().epochMilliseconds - 10 * HOUR),
  });
  const shown = recent.find((one) => one.id === id);
  const either = [stored, stage.allowed(order)];
  assert.ok(
    shown && either.some((allowed) => wrongFields(shown, allowed).length === 0),
    `SEED=${SEED}, interleaving ${count}: ${JSON.stringify(shown)} instead of ${JSON.stringify(either)}`,
  );
}

/** Only for answers that do not come is the patience cut short. */
function partsFor(kind: FaultKind, { parts }: Stage): Stage['parts'] {
  if (kind !== 'timeout') return parts;
  return { ...parts, network: impatient(parts.network, PATIENCE_MS) };
}

async function assertStopped(stage: Stage, kind: FaultKind): Promise<void> {
  const { state, stateMessage } = await stage.connection();
  assert.match(state, /^(delayed|error)$/, kind);
  assert.match(
    stateMessage ?? '',
    /no responde|algo que no entendemos|repite la misma|más de lo que podemos leer/,
    kind,
  );
  assert.ok((await stage.progress()).run, `${kind}: the sync run waits to be gone on with`);
}

/** Walks, and answers how it was stopped; null = it came to its end. */
async function walkOrStop(
  stage: Stage,
  onPage: (report: { pages: number }) => void,
): Promise<UpstreamError['kind'] | null> {
  try {
    await stage.walk({ onPage });
    return null;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return error.kind;
  }
}

function reasonToSkip({ tokens, cannot }: Stand, name: Scenario): string | false {
  if (name === 'expired token' && !tokens) return 'its credentials do not end';
  return cannot?.[name] ?? false;
}

function tagsOf({ twin }: Stand, name: Scenario): string[] {
  return SLOW.has(name) || (twin && ON_THE_WAY.has(name)) ? ['slow'] : [];
}

function anOrderThatIs(shop: Shop, state: State): Order {
  const [found] = ordersThatAre(shop, state);
  assert.ok(found, `no order is ${state}`);
  return found;
}

function ordersThatAre({ world }: Shop, state: State): Order[] {
  return world.orders().filter((order) => stateAt(order, world.now()) === state);
}

const LIVES: readonly (readonly Exclude<State, 'placed'>[])[] = [
  ['paid', 'shipped', 'delivered', 'returned', 'refunded'],
  ['paid', 'packed', 'shipped', 'delivered'],
  ['paid', 'refunded', 'shipped', 'delivered'],
  ['paid', 'packed', 'cancelled'],
  ['paid', 'partially_refunded', 'shipped', 'delivered'],
];

const NEXT: Partial<Record<State, readonly Exclude<State, 'placed'>[]>> = {
  placed: ['paid', 'paid', 'cancelled'],
  paid: ['shipped', 'packed', 'refunded', 'cancelled'],
  packed: ['shipped'],
  shipped: ['delivered'],
  delivered: ['returned', 'returning', 'partially_refunded'],
  returning: ['returned'],
};

/** An order comes, or one that is there goes a step further. */
function moveByChance(shop: Shop, chance: Dice): void {
  const { world } = shop;
  const order = chance.chance(0.3) ? world.place() : chance.pick(world.orders());
  const next = NEXT[stateAt(order, world.now())];
  if (next) act(shop, order.id, chance.pick(next));
}

/** Something happens at the shop: an order comes, is paid and sent. */
function move({ world }: Shop): void {
  const { id } = world.place();
  world.pay(id);
  world.ship(id);
}

/** The first instant at which nothing of these orders had changed. */
function justAfter(orders: readonly { last_updated: string }[]): string {
  const last = orders
    .map(({ last_updated }) => last_updated)
    .sort()
    .at(-1) as string;
  return Temporal.Instant.from(last)
    .add({ microseconds: 1 })
    .toString({ smallestUnit: 'microsecond' });
}
