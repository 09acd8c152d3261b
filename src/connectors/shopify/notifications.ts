import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sameSecret } from '../../platform/seal.ts';
import { inTable } from '../../platform/word-table.ts';
import type { Call, Notification, Notifications, Webhook, WebhookTarget } from '../contract.ts';
import { walkAll } from '../lists.ts';
import { id, optional } from '../wire-fields.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { ask, broken, PageInfo } from './graphql.ts';
import { MOVE_SUBSCRIPTION, SUBSCRIBE, SUBSCRIPTIONS, UNSUBSCRIBE } from './queries.ts';

// Bodies have the older REST shape; they are only read for ids to fetch.

const Body = z.object({
  id: optional(id),
  order_id: optional(id),
  order: optional(z.object({ id: optional(id) })),
  order_edit: optional(z.object({ order_id: optional(id) })),
  inventory_item_id: optional(id),
  orders_to_redact: optional(z.array(id)),
  orders_requested: optional(z.array(id)),
});
type Body = z.infer<typeof Body>;

const fetchOrder = (order: string | null | undefined): Notification[] =>
  order ? [{ stream: 'orders', id: order }] : [];
const fetchItem = (item: string | null): Notification[] =>
  item ? [{ stream: 'inventory', id: item }] : [];

/** By the first word of the topic, or by the whole of it. */
const NOTIFICATIONS: Readonly<Record<string, (body: Body) => Notification[]>> = {
  'orders/edited': (body) => fetchOrder(body.order_edit?.order_id),
  orders: (body) => fetchOrder(body.id),
  refunds: (body) => fetchOrder(body.order_id),
  fulfillments: (body) => fetchOrder(body.order_id),
  returns: (body) => fetchOrder(body.order_id ?? body.order?.id),
  disputes: (body) => fetchOrder(body.order_id),
  tender_transactions: (body) => fetchOrder(body.order_id),
  inventory_levels: (body) => fetchItem(body.inventory_item_id),
  inventory_items: (body) => fetchItem(body.id),
  'customers/redact': ({ orders_to_redact }) => [
    { forget: 'buyer', orderIds: orders_to_redact ?? [] },
  ],
  'customers/data_request': ({ orders_requested }) => [
    { show: 'buyer', orderIds: orders_requested ?? [] },
  ],
  'shop/redact': () => [{ forget: 'account' }],
};

/** An order with hundreds of lines and their attributes. */
const MOST_BYTES = 4 * 1024 * 1024;

export const notifications: Notifications<ShopifyCredentials> = {
  mostBytes: MOST_BYTES,

  account: ({ headers }) => headers['x-shopify-shop-domain']?.toLowerCase() ?? null,

  verify: (webhook, credentials, { application }) =>
    isSigned(webhook, credentials.client_secret ?? application?.clientSecret),
  verifyPrivacy: (webhook, { application }) => isSigned(webhook, application?.clientSecret),

  // Some contain the buyer, too.
  kept: ({ headers, body }) => ({
    topic: headers['x-shopify-topic'],
    ...Body.safeParse(body).data,
  }),

  notificationsIn({ headers, body }) {
    const topic = headers['x-shopify-topic'] ?? '';
    const read = inTable(NOTIFICATIONS, topic, topic.split('/')[0] ?? '');
    const found = Body.safeParse(body).data;
    return read && found ? read(found) : [];
  },

  /** Shopify deletes subscriptions after four hours of failures, so this is repeated. */
  async ensure(call, target) {
    if (isUnsigned(call.credentials)) {
      await removeAll(call, target);
      return [UNSIGNED];
    }
    const known = await listSubscriptions(call);
    const refused = new Set<string>();
    for (const topic of TOPICS) {
      const reason = await refusalOf(call, known, topic, target);
      const [what, scope] = WITH_SCOPES[topic] ?? [];
      if (reason !== null && !what) throw broken([topic], reason);
      if (reason !== null)
        refused.add(
          `Shopify no nos avisa de ${what}: revisa que la aplicación tenga el permiso ${scope}. Mientras tanto consultamos esos cambios.`,
        );
    }
    return [...refused];
  },

  remove: removeAll,
};

/** The application of such a token signs with a secret that we do not have. */
function isUnsigned(credentials: ShopifyCredentials): boolean {
  const { access_token, refresh_token, client_secret } = credentials;
  return access_token !== undefined && !refresh_token && !client_secret;
}

const UNSIGNED =
  'Consultamos los cambios de tu tienda cada pocos minutos. Para que Shopify nos avise al momento, vuelve a conectarla con el token de acceso y el secreto de cliente de tu aplicación.';

async function removeAll(
  call: Call<ShopifyCredentials>,
  { address }: WebhookTarget,
): Promise<void> {
  const ours = (await listSubscriptions(call)).filter(({ uri }) => uri === address);
  await Promise.all(ours.map(({ id }) => unsubscribe(call, id)));
}

function isSigned({ headers, text }: Webhook, secret: string | undefined): boolean {
  if (!secret) return false;
  const expected = createHmac('sha256', secret).update(text).digest();
  const given = Buffer.from(headers['x-shopify-hmac-sha256'] ?? '', 'base64');
  return sameSecret(given, expected);
}

/** The privacy topics are not among them: they are set once, with the application. */
export const TOPICS = [
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_EDITED',
  'ORDERS_CANCELLED',
  'REFUNDS_CREATE',
  'FULFILLMENTS_CREATE',
  'FULFILLMENTS_UPDATE',
  'RETURNS_UPDATE',
  'RETURNS_CLOSE',
  'INVENTORY_LEVELS_UPDATE',
] as const;

/** Topics with a permission of their own, which a store may leave out; orders need the first one. */
const WITH_SCOPES: Partial<Record<(typeof TOPICS)[number], readonly [string, string]>> = {
  FULFILLMENTS_CREATE: ['los envíos', 'read_fulfillments'],
  FULFILLMENTS_UPDATE: ['los envíos', 'read_fulfillments'],
  RETURNS_UPDATE: ['las devoluciones', 'read_returns'],
  RETURNS_CLOSE: ['las devoluciones', 'read_returns'],
  INVENTORY_LEVELS_UPDATE: ['las existencias', 'read_inventory'],
};

const Subscription = z.object({ id: z.string(), topic: z.string(), uri: z.string() });
type Subscription = z.infer<typeof Subscription>;
const SubscriptionsPage = z.object({
  webhookSubscriptions: z.object({ nodes: z.array(Subscription), pageInfo: PageInfo }),
});
const Done = z.object({
  done: optional(z.object({ userErrors: z.array(z.object({ message: z.string() })) })),
});

/** A page that costs more than one query may ends the list. */
function listSubscriptions(call: Call<ShopifyCredentials>): Promise<Subscription[]> {
  return walkAll(call, null, async (after: string | null) => {
    const answered = await ask(call, SUBSCRIPTIONS, { after }, SubscriptionsPage);
    if (!answered) return { rows: [], next: null };
    const { nodes, pageInfo } = answered.data.webhookSubscriptions;
    return { rows: nodes, next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null };
  });
}

/** Subscribes to a topic. @returns why the store refused it; null = we are subscribed */
async function refusalOf(
  call: Call<ShopifyCredentials>,
  known: readonly Subscription[],
  topic: string,
  { address }: WebhookTarget,
): Promise<string | null> {
  const here = known.filter((one) => one.topic === topic);
  if (here.some(({ uri }) => uri === address)) return null;
  // Ours from before this instance moved: the address ends with the connection's own id.
  const moved = here.find(({ uri }) => pathOf(uri) === pathOf(address));
  const answered = moved
    ? await ask(call, MOVE_SUBSCRIPTION, { id: moved.id, uri: address }, Done)
    : await ask(call, SUBSCRIBE, { topic, uri: address }, Done);
  const done = answered?.data.done;
  if (!done) return 'access denied';
  const [error] = done.userErrors;
  // Another process was quicker.
  return error && !/already been taken/.test(error.message) ? error.message : null;
}

async function unsubscribe(call: Call<ShopifyCredentials>, id: string): Promise<void> {
  const answered = await ask(call, UNSUBSCRIBE, { id }, Done);
  const [error] = answered?.data.done?.userErrors ?? [];
  // Deleted there in the meantime.
  if (error && !/does not exist|not found/i.test(error.message)) throw broken([id], error.message);
}

function pathOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).pathname : uri;
}
