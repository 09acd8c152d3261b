/**
 * Webhooks: signed, in the older REST shape, to subscriptions that are deleted when nobody answers.
 */
import { createHmac } from 'node:crypto';
import { post } from '../http.ts';
import { cents, decimal, type State } from '../order.ts';
import type { Change } from '../world.ts';
import { fullName, nameOf } from './documents.ts';
import { moneyOf } from './facts.ts';
import { type ListArgs, pageOf, QueryError } from './graphql.ts';
import type { Application } from './oauth.ts';
import { iso } from './shown.ts';
import { itemId } from './stock.ts';
import type { Store } from './store.ts';

interface Subscription {
  readonly id: string;
  readonly topic: string;
  uri: string;
}

interface Attempt {
  readonly topic: string;
  /** 0 = no answer within five seconds. */
  readonly status: number;
}

export interface Notifications {
  readonly subscriptions: readonly Subscription[];
  /** Delivers what happened since the last flush, and what failed then. */
  flush(): Promise<Attempt[]>;
  /** Each one is sent twice. */
  duplicate: boolean;
  /**
   * Sends one on purpose, such as the mandatory ones of privacy, to an address of the application's
   * own.
   */
  send(url: string, topic: string, body: unknown, secret?: string): Promise<number>;
  drop(topic: string): void;
}

interface Pending {
  readonly subscription: Subscription;
  readonly topic: string;
  readonly text: string;
  tries: number;
}

/** Once, and eight more within four hours. */
const TRIES = 9;

const TOPICS: Record<State, readonly string[]> = {
  placed: ['orders/create', 'inventory_levels/update'],
  paid: ['orders/updated'],
  packed: ['orders/updated'],
  shipped: ['fulfillments/create', 'orders/updated'],
  delivered: ['fulfillments/update'],
  returning: ['returns/update'],
  returned: ['returns/close', 'inventory_levels/update'],
  partially_refunded: ['refunds/create', 'orders/updated'],
  refunded: ['refunds/create', 'orders/updated'],
  cancelled: ['orders/cancelled', 'inventory_levels/update'],
};

export function createNotifications(store: Store, application: Application) {
  const pull = store.world.watch();
  let subscriptions: Subscription[] = [];
  let pending: Pending[] = [];
  let count = 0;

  async function send(
    url: string,
    topic: string,
    body: unknown,
    secret = application.clientSecret,
  ) {
    return sendText(url, topic, JSON.stringify(body), secret);
  }

  function sendText(url: string, topic: string, text: string, secret: string): Promise<number> {
    count += 1;
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': store.shop,
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': `webhook-${count}`,
      'x-shopify-event-id': `event-${count}`,
      'x-shopify-triggered-at': iso(store.now()),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(text).digest('base64'),
    };
    return post(url, headers, text, 5_000);
  }

  function collect(): void {
    for (const change of pull())
      for (const topic of TOPICS[change.step.state])
        for (const body of bodiesOf(topic, change))
          for (const subscription of subscriptions.filter((one) => one.topic === topicName(topic)))
            pending.push({ subscription, topic, text: JSON.stringify(body), tries: 0 });
  }

  async function flush(): Promise<Attempt[]> {
    collect();
    const due = pending;
    pending = [];
    const attempts: Attempt[] = [];
    for (const one of due) {
      for (let copies = notifications.duplicate ? 2 : 1; copies > 0; copies--) {
        const status = await sendText(
          one.subscription.uri,
          one.topic,
          one.text,
          application.clientSecret,
        );
        attempts.push({ topic: one.topic, status });
        if (copies === 1 && status !== 200) retryLater(one);
      }
    }
    return attempts;
  }

  function retryLater(one: Pending): void {
    one.tries += 1;
    if (one.tries < TRIES) pending.push(one);
    else subscriptions = subscriptions.filter((kept) => kept !== one.subscription);
  }

  const isTaken = (topic: string, uri: string) =>
    subscriptions.some((one) => one.topic === topic && one.uri === uri);
  const TAKEN = {
    userErrors: [
      { field: ['webhookSubscription'], message: 'Address for this topic has already been taken' },
    ],
  };

  const queries = {
    webhookSubscriptions: (args: ListArgs) => pageOf(subscriptions, ({ id }) => id, args),
  };
  const mutations = {
    webhookSubscriptionCreate: ({
      topic,
      webhookSubscription: { uri },
    }: {
      topic: string;
      webhookSubscription: { uri: string };
    }) => {
      if (isTaken(topic, uri)) return TAKEN;
      count += 1;
      const id = `gid://shopify/WebhookSubscription/${String(count).padStart(12, '0')}`;
      subscriptions.push({ id, topic, uri });
      return { userErrors: [] };
    },
    webhookSubscriptionUpdate: ({
      id,
      webhookSubscription: { uri },
    }: {
      id: string;
      webhookSubscription: { uri: string };
    }) => {
      const found = subscriptions.find((one) => one.id === id);
      if (!found) throw new QueryError('invalid id', 'RESOURCE_NOT_FOUND');
      found.uri = uri;
      return { userErrors: [] };
    },
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      if (!subscriptions.some((one) => one.id === id))
        return { userErrors: [{ field: ['id'], message: 'Webhook subscription does not exist' }] };
      subscriptions = subscriptions.filter((one) => one.id !== id);
      return { deletedWebhookSubscriptionId: id, userErrors: [] };
    },
  };

  const notifications = {
    get subscriptions() {
      return subscriptions;
    },
    duplicate: false,
    flush,
    send,
    drop: (topic: string) => {
      subscriptions = subscriptions.filter((one) => one.topic !== topic);
    },
    queries,
    mutations,
  };
  return notifications;

  function bodiesOf(topic: string, { order, step }: Change): object[] {
    const parts: Record<string, () => object[]> = {
      orders: () => [restOrder({ order, step }, store.taxesIncluded)],
      fulfillments: () => [
        {
          id: Number(`${order.id}1`),
          order_id: Number(order.id),
          status: 'success',
          tracking_number: order.tracking,
        },
      ],
      refunds: () => [
        { id: Number(`${order.id}2`), order_id: Number(order.id), created_at: iso(step.at) },
      ],
      returns: () => [{ id: Number(`${order.id}3`), order: { id: Number(order.id) } }],
      inventory_levels: () =>
        order.lines.map(({ sku }) => ({
          inventory_item_id: Number(itemId(sku)),
          location_id: 91_000_000_001,
          available: 1,
          updated_at: iso(step.at),
        })),
    };
    return parts[topic.split('/')[0] ?? '']?.() ?? [];
  }
}

/** Snake case, lower-case statuses, amounts as text. */
function restOrder({ order, step }: Change, taxesIncluded: boolean) {
  const { name, number } = nameOf(order);
  return {
    id: Number(order.id),
    admin_graphql_api_id: `gid://shopify/Order/${order.id}`,
    name,
    order_number: number,
    email: order.buyer.email,
    created_at: iso(order.steps[0]?.at ?? step.at),
    updated_at: iso(step.at),
    test: false,
    currency: 'MXN',
    total_price: decimal(moneyOf(order, taxesIncluded).total),
    financial_status: step.state === 'placed' ? 'pending' : 'paid',
    fulfillment_status: null,
    customer: {
      id: order.buyer.number,
      first_name: order.buyer.firstName,
      last_name: order.buyer.lastName,
    },
    shipping_address: { name: fullName(order), phone: order.buyer.phone },
    line_items: order.lines.map((line) => ({
      title: line.title,
      sku: line.sku,
      quantity: line.quantity,
      price: line.unitPrice,
      grams: line.product.grams,
      total_discount: String((cents(line.listPrice) - cents(line.unitPrice)) / 100),
    })),
  };
}

/** `orders/create` is `ORDERS_CREATE` where subscriptions are made. */
function topicName(topic: string): string {
  return topic.replace('/', '_').toUpperCase();
}
