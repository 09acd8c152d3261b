/** Which events go where, and the signed webhooks themselves. */
import { createHmac } from 'node:crypto';
import { isRecord } from '../exact-json.ts';
import { type Call, post, type Reply, type Routes } from '../http.ts';
import type { State } from '../order.ts';
import type { Change } from '../world.ts';
import { statusOf } from './documents.ts';
import type { Application } from './oauth.ts';
import { done, longId, orderId, type Room, refuse, seconds } from './shop.ts';

export interface Notifications {
  /** By event; what a test puts in here was registered elsewhere. */
  readonly webhooks: Map<string, string>;
  /** Sends what happened since the last flush. @returns the status of each answer, 0 = none */
  flush(): Promise<number[]>;
  /** The seller takes the permission back at the marketplace. */
  deauthorize(): Promise<number>;
  /** As it would be sent: text and signature. */
  sign(body: unknown): { text: string; authorization: string };
}

interface Event {
  readonly name: string;
  readonly type: number;
  readonly data: (change: Change, room: Room) => object;
}

const ORDER: Event = {
  name: 'ORDER_STATUS_CHANGE',
  type: 1,
  data: ({ order, step }, { now }) => ({
    order_id: orderId(order),
    order_status: statusOf(order, now()),
    is_on_hold_order: false,
    update_time: seconds(step.at),
  }),
};
const PACKAGE: Event = {
  name: 'PACKAGE_UPDATE',
  type: 4,
  data: ({ order, step }) => ({
    sc_type: 'COMBINE',
    role_type: 'ROLE_USER',
    package_list: [
      { package_id: longId('1152', 'package', order.id), order_id_list: [orderId(order)] },
    ],
    update_time: seconds(step.at),
  }),
};
const CANCELLATION: Event = {
  name: 'CANCELLATION_STATUS_CHANGE',
  type: 11,
  data: ({ order, step }) => ({
    order_id: orderId(order),
    cancellations_role: step.by === 'seller' ? 'SELLER' : 'BUYER',
    cancel_status: 'CANCELLATION_REQUEST_COMPLETE',
    cancel_id: longId('4035', 'cancel', order.id),
    create_time: seconds(step.at),
  }),
};
const RETURN: Event = {
  name: 'RETURN_STATUS_CHANGE',
  type: 12,
  data: ({ order, step }) => ({
    order_id: orderId(order),
    return_role: 'BUYER',
    return_type:
      step.state === 'returning' || step.state === 'returned' ? 'RETURN_AND_REFUND' : 'REFUND',
    return_status: 'RETURN_OR_REFUND_REQUEST_COMPLETE',
    return_id: longId('4035', 'return', order.id, 9),
    create_time: seconds(step.at),
    update_time: seconds(step.at),
  }),
};

const EVENTS: Record<State, readonly Event[]> = {
  placed: [ORDER],
  paid: [ORDER],
  packed: [PACKAGE],
  shipped: [ORDER],
  delivered: [ORDER],
  returning: [RETURN],
  returned: [RETURN],
  partially_refunded: [RETURN],
  refunded: [RETURN],
  cancelled: [CANCELLATION, ORDER],
};

export function createNotifications(
  room: Room,
  application: Application,
  shopId: string,
): Notifications & { routes: Routes } {
  const webhooks = new Map<string, string>();
  const pull = room.world.watch();

  function sign(body: unknown) {
    const text = JSON.stringify(body);
    const { appKey, appSecret } = application;
    const authorization = createHmac('sha256', appSecret)
      .update(appKey + text)
      .digest('hex');
    return { text, authorization };
  }

  async function send(name: string, type: number, data: object): Promise<number[]> {
    const address = webhooks.get(name);
    if (!address) return [];
    const timestamp = seconds(room.now());
    const { text, authorization } = sign({ type, shop_id: shopId, timestamp, data });
    const headers = { 'content-type': 'application/json', authorization };
    return [await post(address, headers, text)];
  }

  function register(call: Call): Reply {
    room.caller(call);
    const body = call.json();
    if (!isRecord(body) || typeof body.address !== 'string' || typeof body.event_type !== 'string')
      throw refuse(36009004, 'address and event_type are required');
    if (room.switches.refusedEvents.has(body.event_type))
      throw refuse(105005, 'Access denied.', 403);
    webhooks.set(body.event_type, body.address);
    return done({});
  }

  function remove(call: Call): Reply {
    room.caller(call);
    const body = call.json();
    if (!isRecord(body) || typeof body.event_type !== 'string')
      throw refuse(36009004, 'event_type is required');
    webhooks.delete(body.event_type);
    return done({});
  }

  function list(call: Call): Reply {
    room.caller(call);
    const at = seconds(room.now());
    const rows = [...webhooks].map(([event_type, address]) => ({
      address,
      create_time: at,
      event_type,
      update_time: at,
    }));
    return done({ total_count: rows.length, ...(rows.length > 0 && { webhooks: rows }) });
  }

  return {
    webhooks,
    sign,
    async flush() {
      const statuses: number[] = [];
      for (const change of pull())
        for (const { name, type, data } of EVENTS[change.step.state])
          statuses.push(...(await send(name, type, data(change, room))));
      return statuses;
    },
    async deauthorize() {
      const message = `Shop_id ${shopId} is deauthorized from your APP by merchant.`;
      return (await send('SELLER_DEAUTHORIZATION', 6, { message }))[0] ?? 0;
    },
    routes: {
      'GET /event/202309/webhooks': list,
      'PUT /event/202309/webhooks': register,
      'DELETE /event/202309/webhooks': remove,
    },
  };
}
