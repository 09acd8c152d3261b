/**
 * Webhooks: signed, in the older REST shape, to subscriptions that are deleted without an answer.
 */
import { createHmac } from 'node:crypto';
import { post } from '../http.ts';
import { cents, decimal, type State } from '../order.ts';
import type { Change } from '../world.ts';
import { fullName, nameOf } from './documents.ts';
import { moneyOf } from './facts.ts';
import { iso } from './shown.ts';
import { itemId } from './stock.ts';
import type { Store } from './store.ts';
import { openSubscriptions, type Subscription } from './subscriptions.ts';
import type { Application } from './tokens.ts';

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
  let count = 0;
  const nextNumber = () => {
    count += 1;
    return count;
  };
  const subscriptions = openSubscriptions(nextNumber, store.isGranted);
  let pending: Pending[] = [];

  async function send(
    url: string,
    topic: string,
    body: unknown,
    secret = application.clientSecret,
  ) {
    return sendText(url, topic, JSON.stringify(body), secret);
  }

  function sendText(url: string, topic: string, text: string, secret: string): Promise<number> {
    const headers = {
      ...headersOf(topic, nextNumber(), store),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(text).digest('base64'),
    };
    return post(url, headers, text, 5_000);
  }

  function collect(): void {
    for (const change of pull())
      pending.push(...deliveriesOf(change, subscriptions.all(), store.taxesIncluded));
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
    else subscriptions.keep((kept) => kept !== one.subscription);
  }

  const notifications = {
    get subscriptions() {
      return subscriptions.all();
    },
    duplicate: false,
    flush,
    send,
    drop: (topic: string) => {
      subscriptions.keep((one) => one.topic !== topic);
    },
    queries: subscriptions.queries,
    mutations: subscriptions.mutations,
  };
  return notifications;
}

/** Of each topic of the change, each body goes to each subscription. */
function deliveriesOf(
  change: Change,
  subscriptions: readonly Subscription[],
  taxesIncluded: boolean,
): Pending[] {
  return TOPICS[change.step.state].flatMap((topic) => {
    const subscribed = subscriptions.filter((one) => one.topic === topicName(topic));
    return bodiesOf(topic, change, taxesIncluded).flatMap((body) => {
      const text = JSON.stringify(body);
      return subscribed.map((subscription) => ({ subscription, topic, text, tries: 0 }));
    });
  });
}

function headersOf(topic: string, number: number, { shop, now }: Store) {
  return {
    'content-type': 'application/json',
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': shop,
    'x-shopify-api-version': '2026-10',
    'x-shopify-webhook-id': `webhook-${number}`,
    'x-shopify-event-id': `event-${number}`,
    'x-shopify-triggered-at': iso(now()),
  };
}

function bodiesOf(topic: string, { order, step }: Change, taxesIncluded: boolean): object[] {
  const parts: Record<string, () => object[]> = {
    orders: () => [restOrder({ order, step }, taxesIncluded)],
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
