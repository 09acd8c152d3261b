/**
 * Mercado Libre notifies a callback that something changed, never what. Unsigned, impatient, and
 * in no order.
 */
import { type Call, post, type Reply, type Routes } from '../http.ts';
import type { State } from '../order.ts';
import type { Change } from '../world.ts';
import { firstOfCart, itemId, userProductId } from './facts.ts';
import { refuse, type Seller, type Shop, type Switches, shipmentId } from './shop.ts';
import type { Application } from './tokens.ts';

type Topic = 'orders_v2' | 'shipments' | 'items' | 'stock-location';

interface Attempt {
  readonly topic: Topic;
  readonly resource: string;
  readonly attempts: number;
  /** 0 = no answer within the time. */
  readonly status: number;
  readonly milliseconds: number;
  /** 200 within 500 ms. */
  readonly acknowledged: boolean;
}

export interface Notifications {
  /** Where to; null = nowhere. */
  notifyTo(url: string | null): void;
  /** Each one is sent twice. */
  duplicate: boolean;
  /** The latest change is sent first. */
  outOfOrder: boolean;
  /**
   * Delivers what happened since the last flush and what is due again; `retryNow` also what is not
   * due yet.
   */
  flush(options?: { retryNow?: boolean }): Promise<Attempt[]>;
  /** Flushes every so often until the simulator closes. */
  every(milliseconds: number): void;
  /** All attempts so far. */
  readonly attempts: readonly Attempt[];
  stop(): void;
}

interface Pending {
  readonly topic: Topic;
  readonly resource: string;
  readonly seller: Seller;
  readonly happened: number;
  attempts: number;
  due: number;
}

/** Eight attempts within an hour; then it is over, and only /missed_feeds knows. */
const WAITS_MINUTES = [0, 1, 2, 4, 7, 11, 15, 20];
const MISSED_LIFE = 2 * 86_400_000;

const TOPICS: Record<State, readonly Topic[]> = {
  placed: ['orders_v2', 'items', 'stock-location'],
  paid: ['orders_v2', 'shipments'],
  packed: ['shipments'],
  shipped: ['shipments'],
  delivered: ['shipments'],
  returning: ['shipments'],
  returned: ['shipments', 'items', 'stock-location'],
  partially_refunded: ['orders_v2'],
  refunded: ['orders_v2'],
  cancelled: ['orders_v2', 'shipments', 'items', 'stock-location'],
};

export function createNotifications(
  shop: Shop,
  application: Application,
): Notifications & { routes: Routes } {
  const watches = shop.sellers.map((seller) => ({ seller, pull: seller.world.watch() }));
  const attempts: Attempt[] = [];
  let missed: Pending[] = [];
  let pending: Pending[] = [];
  let callback: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  function collect(): void {
    for (const { seller, pull } of watches) {
      for (const change of pull()) {
        for (const [topic, resource] of resourcesOf(change, seller, shop.switches)) {
          pending.push({
            topic,
            resource,
            seller,
            happened: change.step.at,
            attempts: 0,
            due: shop.now(),
          });
        }
      }
    }
  }

  async function flush({ retryNow = false } = {}): Promise<Attempt[]> {
    collect();
    const [url, now] = [callback, shop.now()];
    const due = pending.filter((one) => retryNow || one.due <= now);
    pending = pending.filter((one) => !due.includes(one));
    if (notifications.outOfOrder) due.reverse();
    missed = missed.filter((one) => one.happened > now - MISSED_LIFE);
    const made: Attempt[] = [];
    for (const one of due) {
      if (url === null) {
        missed.push(one);
        continue;
      }
      const attempt = await deliver(url, one, shop, application);
      made.push(attempt);
      if (notifications.duplicate) made.push(await deliver(url, one, shop, application));
      if (!attempt.acknowledged) retryLater(one);
    }
    attempts.push(...made);
    return made;
  }

  function retryLater(one: Pending): void {
    one.attempts += 1;
    const wait = WAITS_MINUTES[one.attempts];
    if (wait === undefined) {
      missed.push(one);
      return;
    }
    one.due = shop.now() + wait * 60_000;
    pending.push(one);
  }

  const notifications = {
    duplicate: false,
    outOfOrder: false,
    attempts,
    flush,
    notifyTo: (url: string | null) => {
      callback = url;
    },
    every: (milliseconds: number) => {
      timer = setInterval(() => void flush(), milliseconds).unref();
    },
    stop: () => clearInterval(timer),
    routes: {
      'GET /missed_feeds': (call: Call) => listMissed(call, missed, shop, application),
    },
  };
  return notifications;
}

async function deliver(
  url: string,
  one: Pending,
  shop: Shop,
  application: Application,
): Promise<Attempt> {
  const started = performance.now();
  const patience = shop.switches.patienceMilliseconds;
  const status = await post(
    url,
    { 'content-type': 'application/json' },
    JSON.stringify(message(one, shop, application)),
    patience,
  );
  const milliseconds = performance.now() - started;
  const acknowledged = status === 200 && milliseconds <= patience;
  return {
    topic: one.topic,
    resource: one.resource,
    attempts: one.attempts + 1,
    status,
    milliseconds,
    acknowledged,
  };
}

function message(
  { resource, seller, topic, attempts: before, happened }: Pending,
  shop: Shop,
  application: Application,
) {
  return {
    resource,
    user_id: seller.id,
    topic,
    application_id: Number(application.clientId),
    attempts: before + 1,
    sent: new Date(shop.now()).toISOString(),
    received: new Date(happened).toISOString(),
  };
}

function listMissed(
  call: Call,
  missed: readonly Pending[],
  shop: Shop,
  application: Application,
): Reply {
  const seller = shop.caller(call);
  const { query } = call;
  if (query.get('app_id') !== application.clientId)
    throw refuse(400, 'bad_request', 'app_id is required');
  const topic = query.get('topic');
  if (topic === 'items' && !query.get('site_id'))
    throw refuse(400, 'bad_request', 'site_id is required');
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 10);
  const kept = missed.filter(
    (one) =>
      one.seller === seller &&
      one.happened > shop.now() - MISSED_LIFE &&
      (topic === null || one.topic === topic),
  );
  const messages = kept.slice(offset, offset + limit).map((one, index) => ({
    _id: `perdida-${offset + index}`,
    ...message(one, shop, application),
  }));
  return { body: { messages } };
}

function resourcesOf(
  { order, step }: Change,
  seller: Seller,
  { multiOrigin }: Switches,
): (readonly [Topic, string])[] {
  const returned = step.state === 'returning' || step.state === 'returned';
  const shipment = returned
    ? shipmentId(order, seller, 'return')
    : shipmentId(firstOfCart(order, seller), seller, 'forward');
  const resources: Record<Topic, readonly string[]> = {
    orders_v2: [`/orders/${order.id}`],
    shipments: order.inPerson ? [] : [`/shipments/${shipment}`],
    // Stock that is kept by place is notified under its user product.
    items: multiOrigin ? [] : order.lines.map(({ product }) => `/items/${itemId(product.sku)}`),
    'stock-location': multiOrigin
      ? order.lines.map(({ sku }) => `/user-products/${userProductId(sku)}/stock`)
      : [],
  };
  return TOPICS[step.state].flatMap((topic) =>
    resources[topic].map((resource) => [topic, resource] as const),
  );
}
