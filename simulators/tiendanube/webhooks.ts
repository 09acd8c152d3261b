/**
 * Webhooks: registered by the application, signed with its secret; they name what changed and
 * nothing of it.
 */
import { createHmac } from 'node:crypto';
import type { Call, Reply, Routes } from '../http.ts';
import type { State } from '../order.ts';
import { productId } from './facts.ts';
import { described, pageOf, type Room, refuse } from './shop.ts';

interface Webhook {
  readonly id: number;
  readonly event: string;
  readonly url: string;
}

/** A webhook that Tiendanube would make now. */
export interface Push {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Webhooks {
  readonly routes: Routes;
  readonly registered: readonly Webhook[];
  /** As if another application, or another part of this one, had registered it. */
  register(event: string, url: string): void;
  /** What happened since the last call, once for each webhook that waits for it. */
  due(): Push[];
  /** Any other body, signed. */
  sign(url: string, body: unknown): Push;
}

const EVENTS: Readonly<Record<State, readonly string[]>> = {
  placed: ['order/created'],
  paid: ['order/paid', 'order/updated'],
  packed: ['order/packed', 'order/updated'],
  shipped: ['order/fulfilled', 'order/updated'],
  delivered: ['order/updated'],
  returning: [],
  returned: [],
  partially_refunded: ['order/updated'],
  refunded: ['order/updated'],
  cancelled: ['order/cancelled'],
};
const KNOWN = /^(app|category|customer|domain|fulfillment_order|order|product|theme)\/\w+$/;
const MADE = '2026-01-05T16:20:03-03:00';

export function createWebhooks(room: Room, base: string, secret: string): Webhooks {
  const pull = room.store.world.watch();
  const registered: Webhook[] = [];
  const described_ = (hook: Webhook) => ({ ...hook, created_at: MADE, updated_at: MADE });

  function register(event: string, url: string): Webhook {
    const hook = { id: 5_000 + registered.length, event, url };
    registered.push(hook);
    return hook;
  }

  function create(call: Call): Reply {
    room.admit(call);
    if (!call.headers['content-type']?.includes('application/json'))
      throw refuse(415, { error: 'Content-Type must be application/json' });
    const { event, url } = call.json() as { event?: string; url?: string };
    if (!event || !KNOWN.test(event)) throw refuse(422, { event: ['is not included in the list'] });
    const target = URL.parse(url ?? '');
    if (target?.protocol !== 'https:' || target.hostname === 'localhost')
      throw refuse(422, { url: ['is invalid'] });
    return { status: 201, body: described_(register(event, target.href)) };
  }

  function one(call: Call, answer: (hook: Webhook) => Reply): Reply {
    room.admit(call);
    const hook = registered.find(({ id }) => String(id) === call.params.id);
    return hook ? answer(hook) : described(404, 'Not Found', 'Webhook with such id does not exist');
  }

  function sign(url: string, body: unknown): Push {
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-linkedstore-hmac-sha256': signature };
    return { url, headers, text };
  }

  function happened(): { event: string; id: number }[] {
    return pull().flatMap(({ order, step }) => [
      ...EVENTS[step.state].map((event) => ({ event, id: Number(order.id) })),
      ...(step.state === 'placed'
        ? order.lines.map(({ product }) => ({
            event: 'product/updated',
            id: productId(product.sku),
          }))
        : []),
    ]);
  }

  return {
    registered,
    register: (event, url) => void register(event, url),
    sign,
    due: () =>
      happened().flatMap(({ event, id }) =>
        registered
          .filter((hook) => hook.event === event)
          .map(({ url }) => sign(url, { store_id: room.store.id, event, id })),
      ),
    routes: {
      [`GET ${base}/webhooks`]: (call) => {
        room.admit(call);
        return pageOf(call, registered.map(described_));
      },
      [`POST ${base}/webhooks`]: create,
      [`GET ${base}/webhooks/:id`]: (call) => one(call, (hook) => ({ body: described_(hook) })),
      [`DELETE ${base}/webhooks/:id`]: (call) =>
        one(call, (hook) => {
          registered.splice(registered.indexOf(hook), 1);
          return { body: {} };
        }),
    },
  };
}
