import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { startWooCommerce, type WooCommerce } from '../simulators/woocommerce/index.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import type { ExchangeParts } from '../src/exchange/parts.ts';
import { runStream } from '../src/exchange/sync/run-stream.ts';
import { openConnection } from '../src/exchange/wire/open-connection.ts';
import { connectionById, type SealedConnection } from '../src/features/connections/index.ts';
import type { Network } from '../src/platform/network.ts';
import { NetworkError } from '../src/platform/network-error.ts';
import { noRedis, openRedis } from './reliability/support/redis.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { type TurnedClock, turnedClock } from './support/clock.ts';
import { freshDatabase } from './support/server.ts';

// A host that does not answer: it is called once a minute, it costs little, and the seller reads
// since when.

const shared = await openApp(WHOLE_FILE);

test('a store that does not answer is called once a minute, and the seller reads since when', async (t) => {
  const store = await openStore(t, { at: '2026-11-16T20:05:10Z' });
  store.shop.faults.next({ kind: 'server_error', times: 10_000 });

  assert.equal(await store.run(), 'unreachable');
  assert.equal(store.asked(), 3, 'three failures open the breaker');
  assert.deepEqual(await store.state(), [
    'delayed',
    'WooCommerce no responde desde las 14:05. Volveremos a intentarlo automáticamente.',
  ]);
  store.clock.advance({ seconds: 30 });
  assert.equal(await store.run(), 'unreachable');
  assert.equal(store.asked(), 0, 'no call is made within the minute');
  store.clock.advance({ seconds: 30 });
  assert.equal(await store.run(), 'unreachable');
  assert.equal(store.asked(), 1, 'one try a minute');
  store.clock.advance({ hours: 10 });
  assert.equal(await store.run(), 'unreachable');
  assert.deepEqual(await store.state(), [
    'delayed',
    'WooCommerce no responde desde el 16 de noviembre a las 14:05. Volveremos a intentarlo automáticamente.',
  ]);

  store.shop.faults.stop();
  store.clock.advance({ minutes: 1 });
  assert.equal(await store.run(), 'done');
  assert.deepEqual(await store.state(), ['ok', null]);
});

test('two processes call a store that does not answer once a minute together, and say the same of it', {
  skip: noRedis,
}, async (t) => {
  const { url } = await openRedis(t);
  const env = { REDIS_URL: url, MASTER_KEY: randomBytes(32).toString('base64') };
  const place = {
    clock: turnedClock('2026-11-16T20:05:10Z'),
    database: await freshDatabase(),
    env,
  };
  const [own, other] = [await openApp(t, place), await openApp(t, place)];
  const store = await openStore(t, { own });
  const elsewhere = () => store.run(other.app.exchange);
  store.shop.faults.next({ kind: 'server_error', times: 10_000 });
  assert.equal(await store.run(), 'unreachable');
  assert.equal(store.asked(), 3);

  store.clock.advance({ seconds: 30 });
  assert.equal(await elsewhere(), 'unreachable');
  assert.equal(store.asked(), 0, 'the other process asks a store that it knows to be away');
  assert.match((await store.state())[1] as string, /^WooCommerce no responde desde las 14:05\./);
  store.clock.advance({ seconds: 31 });
  assert.equal(await elsewhere(), 'unreachable');
  assert.equal(await store.run(), 'unreachable');
  assert.equal(store.asked(), 1, 'one try a minute');
  store.shop.faults.stop();
  store.clock.advance({ seconds: 61 });
  assert.equal(await elsewhere(), 'done');
  assert.equal(await store.run(), 'done');
});

test('another store of the same marketplace is called as ever', async (t) => {
  const store = await openStore(t);
  const other = await openStore(t, { own: store.own });
  store.shop.faults.next({ kind: 'server_error', times: 10_000 });

  assert.equal(await store.run(), 'unreachable');

  assert.equal(await other.run(), 'done');
});

test('an endpoint that fails for one seller, however often, stops no other seller of the host', async (t) => {
  const store = await openStore(t);
  const beside = await openStore(t, store);
  const failing = store.unable();

  assert.equal(await store.run(failing), 'unreachable');
  store.clock.advance({ minutes: 1 });
  assert.equal(await store.run(failing), 'unreachable');

  assert.equal(await beside.run(), 'done');
});

test('an endpoint that hangs for one seller stops no other seller of the host', async (t) => {
  const store = await openStore(t);
  const beside = await openStore(t, store);
  const hanging = store.answering(() => Number.POSITIVE_INFINITY);

  assert.equal(await store.run(hanging.parts), 'unreachable');

  assert.equal(await beside.run(), 'done');
});

test('a host that two connections found silent is not called by a third', async (t) => {
  const store = await openStore(t);
  const [second, third] = [await openStore(t, store), await openStore(t, store)];
  const hanging = store.answering(() => Number.POSITIVE_INFINITY);
  for (const seller of [store, second])
    assert.equal(await seller.run(hanging.parts), 'unreachable');
  hanging.timeouts.length = 0;

  assert.equal(await third.run(hanging.parts), 'unreachable');

  assert.deepEqual(hanging.timeouts, [], 'it was asked');
  assert.match((await third.state())[1] as string, /^WooCommerce no responde desde /);
});

test('a store that hangs costs five seconds at first; one that is known to be slow is waited for', async (t) => {
  const store = await openStore(t);
  const hanging = store.answering(() => Number.POSITIVE_INFINITY);
  assert.equal(await store.run(hanging.parts), 'unreachable');
  assert.deepEqual(hanging.timeouts.slice(0, 2), [5_000, 20_000]);
  store.clock.advance({ minutes: 1 });

  const slow = store.answering(() => 8_000);
  assert.equal(await store.run(slow.parts), 'unreachable', 'the try of the minute is short');
  for (let minute = 0; minute < 3; minute++) {
    store.clock.advance({ minutes: 1 });
    await store.run(slow.parts);
  }
  assert.equal(
    (await store.state())[0],
    'ok',
    'some tries are long enough for a host that became slow',
  );
  slow.timeouts.length = 0;
  assert.equal(await store.run(slow.parts), 'done');
  assert.deepEqual([...new Set(slow.timeouts)], [20_000]);
});

test('what may be sent only once is waited for, for any service', async (t) => {
  const store = await openStore(t);
  const network = store.answering(() => Number.POSITIVE_INFINITY);
  const { call } = openConnection(network.parts, await store.connection());

  await assert.rejects(call.request({ method: 'POST', path: '/orders', once: true }), {
    kind: 'unreachable',
  });

  assert.deepEqual(network.timeouts, [20_000]);
});

interface Stage {
  /** Of an instance of its own. */
  readonly at?: string;
  /** Absent = that of the file. */
  readonly own?: TestApp;
  /** Absent = a store of its own. */
  readonly shop?: WooCommerce;
}

async function openAt(t: TestContext, at: string): Promise<TestApp> {
  return openApp(t, { clock: turnedClock(at), database: await freshDatabase() });
}

/** A store with a paid order, connected to an organisation of its own. */
async function openStore(t: TestContext, stage: Stage = {}) {
  const own = stage.at ? await openAt(t, stage.at) : (stage.own ?? shared);
  const { clock } = own;
  const shop = stage.shop ?? (await openShop(t, clock));
  const { organization } = await own.tenant();
  const { exchange } = own.app;
  const { connectionId } = await connect(exchange, {
    organizationId: organization.id,
    service: 'woocommerce',
    credentials: shop.credentials(),
    baseUrl: shop.url,
  });
  const within = own.app.database.within(organization.id);
  const connection = async () =>
    (await within.read((scope) => connectionById(scope, connectionId))) as SealedConnection;
  let counted = shop.requests.length;
  return {
    own,
    shop,
    clock,
    connection,
    /** Requests since this was asked last. */
    asked() {
      const count = shop.requests.length - counted;
      counted += count;
      return count;
    },
    async state() {
      const { state, stateMessage } = await connection();
      return [state, stateMessage];
    },
    /** @returns how a run of the orders ended */
    async run(parts: ExchangeParts = exchange): Promise<string> {
      try {
        await runStream(parts, await connection(), 'orders', {
          reconcile: false,
          ifRunning: 'wait',
        });
        return 'done';
      } catch (error) {
        return (error as { kind: string }).kind;
      }
    },
    /** A network on which every answer is that it cannot be given now. */
    unable(): ExchangeParts {
      const send: Network['send'] = async () => ({ status: 503, headers: {}, body: '' });
      return { ...exchange, network: { ...exchange.network, send } };
    },
    /** A network on which an answer takes so long, by the turned clock. */
    answering(milliseconds: () => number) {
      const timeouts: number[] = [];
      const { network } = exchange;
      const send: typeof network.send = async (outgoing, reach) => {
        timeouts.push(reach.timeoutMilliseconds);
        const takes = milliseconds();
        clock.advance({ milliseconds: Math.min(takes, reach.timeoutMilliseconds) });
        if (takes > reach.timeoutMilliseconds)
          throw new NetworkError('timeout', 'no whole answer in time');
        return network.send(outgoing, reach);
      };
      return { timeouts, parts: { ...exchange, network: { ...network, send } } };
    },
  };
}

async function openShop(t: TestContext, clock: TurnedClock): Promise<WooCommerce> {
  const shop = await startWooCommerce({ seed: t.name, now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  shop.world.pay(shop.world.place().id);
  return shop;
}
