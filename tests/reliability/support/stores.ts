/**
 * Stores of a test's own that answer as a store does, slowly, or not at all; each at an address of
 * its own.
 */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { startWooCommerce, type WooCommerce } from '../../../simulators/woocommerce/index.ts';
import { connect } from '../../../src/exchange/connect/connect.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openApp, type TestApp } from '../../support/app.ts';
import type { TurnedClock } from '../../support/clock.ts';
import { query } from '../../support/market.ts';
import { freshDatabase } from '../../support/server.ts';
import { type Ending, eventually } from './processes.ts';

/** An instance whose time passes by itself. */
export async function openRealInstance(
  t: Ending,
  env: Record<string, string> = {},
): Promise<TestApp> {
  const clock: TurnedClock = {
    ...systemClock,
    advance() {
      throw new Error('this clock does not advance');
    },
  };
  return openApp(t, { clock, env, plan: 'experto', database: await freshDatabase() });
}

export interface Front {
  readonly url: string;
  /** Accepts calls and never answers, or answers again. */
  isHanging: boolean;
  /** Milliseconds before each answer. */
  delay: number;
}

/** One more address of a store. */
export async function openFront(t: Ending, store: WooCommerce): Promise<Front> {
  const front = { url: '', isHanging: false, delay: 0 };
  const server: Server = createServer((incoming, answer) => {
    if (front.isHanging) return;
    const { method, headers } = incoming;
    const passOn = () =>
      incoming.pipe(
        request(new URL(incoming.url ?? '/', store.url), { method, headers }, (found) => {
          answer.writeHead(found.statusCode ?? 502, found.headers);
          found.pipe(answer);
        }).on('error', () => answer.destroy()),
      );
    setTimeout(passOn, front.delay);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  front.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return front;
}

export interface ConnectedStore {
  readonly organizationId: string;
  readonly connectionId: string;
}

/** Connects an address of a store to an organisation of its own. */
export async function connectFront(
  own: TestApp,
  store: WooCommerce,
  url: string,
): Promise<ConnectedStore> {
  const { organization } = await own.tenant('experto');
  const { connectionId } = await connect(own.app.exchange, {
    organizationId: organization.id,
    service: 'woocommerce',
    credentials: store.credentials(),
    baseUrl: url,
  });
  return { organizationId: organization.id, connectionId };
}

/** A WooCommerce store with so many paid orders. */
export async function openStore(t: Ending, seed: string, orders: number): Promise<WooCommerce> {
  const store = await startWooCommerce({ seed, now: () => Date.now() });
  t.after(store.close);
  for (let order = 0; order < orders; order++) store.world.pay(store.world.place().id);
  return store;
}

/**
 * Milliseconds until an order of the connection is stored with this status. @throws where it takes
 * too long
 */
export async function untilStored(
  own: TestApp,
  { connectionId }: ConnectedStore,
  order: string,
  status: string,
  most: number,
): Promise<number> {
  const startedAt = performance.now();
  const text = 'select from orders where connection_id = $1 and id = $2 and status = $3';
  const isThere = async () => (await query(own, text, [connectionId, order, status])).length > 0;
  if (!(await eventually(isThere, most, 20)))
    throw new Error(`order ${order} is not ${status} after ${most} ms`);
  return performance.now() - startedAt;
}
