/**
 * Subscriptions: sent when the store's clockwork happens to run, signed, and disabled after five
 * failures.
 */
import { createHmac } from 'node:crypto';
import { type Call, post, type Reply, type Routes } from '../http.ts';
import { orderDocument } from './documents.ts';
import { datesOf, linksOf, paged, type Room, refuse } from './shop.ts';

interface Webhook {
  readonly id: number;
  name: string;
  topic: string;
  status: 'active' | 'paused' | 'disabled';
  delivery_url: string;
  secret: string;
  failures: number;
}

interface Delivery {
  readonly webhook: number;
  readonly topic: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** 0 = no answer. */
  readonly status: number;
}

export interface Webhooks {
  readonly all: readonly Webhook[];
  readonly deliveries: readonly Delivery[];
  /** As another program would have made it; nothing is sent. */
  add(given: Partial<Webhook>): Webhook;
  /** Sends what happened to orders since the last flush. */
  flush(): Promise<Delivery[]>;
  /** Sends that an order was deleted. */
  pushDeleted(id: string): Promise<Delivery[]>;
}

const MOST_FAILURES = 5;

export function createWebhooks(room: Room): Webhooks & { routes: Routes } {
  const all: Webhook[] = [];
  let made = 0;
  const deliveries: Delivery[] = [];
  const pull = room.world.watch();

  function add(given: Partial<Webhook>): Webhook {
    const webhook: Webhook = {
      id: 141 + made++,
      name: 'Webhook',
      topic: 'order.updated',
      status: 'active',
      delivery_url: '',
      secret: '',
      failures: 0,
      ...given,
    };
    all.push(webhook);
    return webhook;
  }

  async function deliver(topic: string, body: object): Promise<Delivery[]> {
    const made: Delivery[] = [];
    for (const webhook of all.filter((one) => one.topic === topic && one.status === 'active')) {
      const text = JSON.stringify(body);
      const headers = headersOf(webhook, text, room, deliveries.length + 1);
      const status = await post(webhook.delivery_url, headers, text);
      webhook.failures = status >= 200 && status < 300 ? 0 : webhook.failures + 1;
      if (webhook.failures >= MOST_FAILURES) webhook.status = 'disabled';
      made.push({ webhook: webhook.id, topic, headers, text, status });
    }
    deliveries.push(...made);
    return made;
  }

  return {
    all,
    deliveries,
    add,
    async flush() {
      const made: Delivery[] = [];
      for (const { order, step } of pull())
        made.push(
          ...(await deliver(
            `order.${step.state === 'placed' ? 'created' : 'updated'}`,
            orderDocument(order, room),
          )),
        );
      return made;
    },
    pushDeleted: (id) => deliver('order.deleted', { id: Number(id) }),
    routes: webhookRoutes(room, all, add, deliveries),
  };
}

function webhookRoutes(
  room: Room,
  all: Webhook[],
  add: Webhooks['add'],
  deliveries: Delivery[],
): Routes {
  /** The greeting is a form, and not signed. */
  async function create(call: Call): Promise<Reply> {
    room.caller(call, 'write');
    const given = call.json() as Partial<Webhook>;
    const { name, topic = '', delivery_url = '', secret = '' } = given;
    assertTaken(topic, delivery_url);
    const webhook = add({ topic, delivery_url, secret, ...(name && { name }) });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const text = `webhook_id=${webhook.id}`;
    const status = await post(delivery_url, headers, text);
    deliveries.push({ webhook: webhook.id, topic: 'ping', headers, text, status });
    return { status: 201, body: webhookDocument(webhook, room) };
  }

  function update(call: Call): Reply {
    room.caller(call, 'write');
    const webhook = find(call);
    Object.assign(webhook, call.json(), { id: webhook.id, failures: 0 });
    return { body: webhookDocument(webhook, room) };
  }

  /** There is no bin for webhooks. */
  function remove(call: Call): Reply {
    room.caller(call, 'write');
    const webhook = find(call);
    if (call.query.get('force') !== 'true')
      throw refuse(
        501,
        'woocommerce_rest_trash_not_supported',
        'Webhooks do not support trashing.',
      );
    all.splice(all.indexOf(webhook), 1);
    return { body: webhookDocument(webhook, room) };
  }

  function find(call: Call): Webhook {
    const found = all.find(({ id }) => String(id) === call.params.id);
    if (!found) throw refuse(404, 'woocommerce_rest_shop_webhook_invalid_id', 'Invalid ID.');
    return found;
  }

  return {
    'GET /webhooks': (call) => {
      room.caller(call);
      return paged(call, room, all, (webhook) => webhookDocument(webhook, room));
    },
    'GET /webhooks/:id': (call) => {
      room.caller(call);
      return { body: webhookDocument(find(call), room) };
    },
    'POST /webhooks': create,
    'PUT /webhooks/:id': update,
    'DELETE /webhooks/:id': remove,
  };
}

/** Throws the documented refusal. */
function assertTaken(topic: string, delivery_url: string): void {
  if (!/^[a-z]+\.[a-z]+$/.test(topic))
    throw refuse(
      400,
      'woocommerce_rest_webhook_invalid_topic',
      'Webhook topic is required and must be valid.',
    );
  if (!URL.canParse(delivery_url))
    throw refuse(
      400,
      'woocommerce_rest_webhook_invalid_delivery_url',
      'Webhook delivery URL must be valid.',
    );
}

function headersOf(
  { id, topic, secret }: Webhook,
  text: string,
  room: Room,
  delivery: number,
): Record<string, string> {
  const [resource = '', event = ''] = topic.split('.');
  return {
    'content-type': 'application/json',
    'x-wc-webhook-source': `${room.home}/`,
    'x-wc-webhook-topic': topic,
    'x-wc-webhook-resource': resource,
    'x-wc-webhook-event': event,
    'x-wc-webhook-signature': createHmac('sha256', secret).update(text).digest('base64'),
    'x-wc-webhook-id': String(id),
    'x-wc-webhook-delivery-id': String(delivery),
  };
}

function webhookDocument({ secret: _, failures: __, ...webhook }: Webhook, room: Room) {
  const [resource, event] = webhook.topic.split('.');
  const dates = {
    ...datesOf('date_created', room.now(), room),
    ...datesOf('date_modified', room.now(), room),
  };
  return {
    ...webhook,
    resource,
    event,
    hooks: [],
    ...dates,
    ...linksOf(room, '/webhooks', webhook.id),
  };
}
