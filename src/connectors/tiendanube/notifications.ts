import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sameSecret } from '../../platform/seal.ts';
import type { Notification, Notifications, Webhook } from '../contract.ts';
import { walkAll } from '../lists.ts';
import { id, optional } from '../wire-fields.ts';
import type { TiendanubeCredentials } from './credentials.ts';
import { askPage, PAGE_SIZE, type TiendanubeCall } from './pages.ts';
import { Webhooks } from './wire.ts';

/** The topics that we register; sync runs bring all other changes. */
const TOPICS = [
  'order/created',
  'order/updated',
  'order/paid',
  'order/packed',
  'order/fulfilled',
  'order/cancelled',
  'product/created',
  'product/updated',
];
const PRIVACY_TOPICS = ['store/redact', 'customers/redact', 'customers/data_request'] as const;
type PrivacyTopic = (typeof PRIVACY_TOPICS)[number];

const Body = z.object({
  store_id: id,
  event: optional(z.string()),
  id: optional(id),
  /** In webhooks about a parcel. */
  order_id: optional(id),
  orders_to_redact: optional(z.array(id)),
  orders_requested: optional(z.array(id)),
  data_request: optional(z.object({ id: optional(id) })),
});
type Body = z.infer<typeof Body>;

/** A webhook only names the changed thing. It is signed with the secret of the application. */
export const notifications: Notifications<TiendanubeCredentials> = {
  account: ({ body }) => Body.safeParse(body).data?.store_id ?? null,

  verify(webhook, { store_id, client_secret }, { application }) {
    const isOurs = Body.safeParse(webhook.body).data?.store_id === store_id;
    return isOurs && isSigned(webhook, client_secret ?? application?.clientSecret);
  },

  verifyPrivacy: (webhook, { application }) => isSigned(webhook, application?.clientSecret),

  // Privacy requests name the buyer.
  kept: ({ body }) => Body.safeParse(body).data ?? {},

  notificationsIn({ body }) {
    const reported = Body.safeParse(body).data;
    if (!reported) return [];
    const topic = privacyTopicOf(body);
    return topic ? [PRIVACY_REQUESTS[topic](reported)] : notificationsOf(reported);
  },

  async ensure(call, { address }) {
    if (!isReachable(address)) return [];
    const known = (await webhooksAt(call, address)).flatMap(({ event }) => event ?? []);
    const missing = new Set(TOPICS).difference(new Set(known));
    for (const event of missing)
      await call.request({
        method: 'POST',
        path: '/webhooks',
        body: { json: { event, url: address } },
      });
    return [];
  },

  async remove(call, { address }) {
    const ours = (await webhooksAt(call, address)).flatMap(({ id }) => id ?? []);
    await Promise.all(
      ours.map((id) => call.request({ method: 'DELETE', path: `/webhooks/${id}`, expect: [404] })),
    );
  },
};

/**
 * The mandatory webhooks about personal data are sent to the application's own address; only their
 * shape gives the topic.
 */
export function privacyTopicOf(body: unknown): PrivacyTopic | null {
  const reported = Body.safeParse(body).data;
  if (!reported) return null;
  const named = PRIVACY_TOPICS.find((topic) => topic === reported.event);
  if (named) return named;
  if (reported.data_request) return 'customers/data_request';
  if (reported.orders_to_redact) return 'customers/redact';
  return reported.event === null && reported.id === null && reported.order_id === null
    ? 'store/redact'
    : null;
}

function isSigned({ headers, text }: Webhook, secret: string | undefined): boolean {
  const signature = headers['x-linkedstore-hmac-sha256'];
  if (!secret || !signature) return false;
  const expected = createHmac('sha256', secret).update(text).digest('hex');
  return sameSecret(signature.trim().toLowerCase(), expected);
}

const PRIVACY_REQUESTS: Readonly<Record<PrivacyTopic, (reported: Body) => Notification>> = {
  'store/redact': () => ({ forget: 'account' }),
  'customers/redact': (reported) => ({
    forget: 'buyer',
    orderIds: reported.orders_to_redact ?? [],
  }),
  'customers/data_request': (reported) => ({
    show: 'buyer',
    orderIds: reported.orders_requested ?? [],
  }),
};

function notificationsOf({ event, id, order_id }: Body): Notification[] {
  if (order_id) return [{ stream: 'orders', id: order_id }];
  if (id && event?.startsWith('order/')) return [{ stream: 'orders', id }];
  return id && event?.startsWith('product/') ? [{ stream: 'inventory', id }] : [];
}

/** Other addresses are refused there. */
function isReachable(address: string): boolean {
  const url = URL.parse(address);
  return (
    url?.protocol === 'https:' && !/^(?:localhost|127\.|\[::1\])|\.localhost$/.test(url.hostname)
  );
}

/** Events registered for our address; webhooks to other addresses belong to other clients. */
async function webhooksAt(
  call: TiendanubeCall,
  address: string,
): Promise<z.infer<typeof Webhooks>> {
  const webhooks = await walkAll(call, 1, async (page) => {
    const { rows, hasNext } = await askPage(call, '/webhooks', { page, size: PAGE_SIZE });
    return { rows: Webhooks.parse(rows), next: hasNext ? page + 1 : null };
  });
  return webhooks.filter(({ url }) => url === address);
}
