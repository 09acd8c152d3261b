import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sameSecret } from '../../platform/seal.ts';
import { documentOf } from '../answer-document.ts';
import type { Call, CallRequest, Notifications, WebhookTarget } from '../contract.ts';
import { Rows, walkAll } from '../lists.ts';
import { id } from '../wire-fields.ts';
import type { WooCommerceCredentials } from './credentials.ts';

const TOPICS = [
  'order.created',
  'order.updated',
  'order.deleted',
  'order.restored',
  'product.created',
  'product.updated',
];
const Named = z.object({ id });
const Webhook = z.object({ id, topic: z.string(), status: z.string(), delivery_url: z.string() });
type Webhook = z.infer<typeof Webhook>;
const PAGE_SIZE = 100;
/** A key that may only read registers nothing; its store is polled all the same. */
const MAY_NOT = [401, 403];

/** An order with hundreds of lines and their meta data. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The address names the connection, and each connection has a secret of its own. */
export const notifications: Notifications<WooCommerceCredentials> = {
  mostBytes: MOST_BYTES,

  account: () => null,

  /**
   * The greeting of a new subscription is a form without a signature: it is answered and says
   * nothing.
   */
  verify({ headers, text }, _credentials, { secret }) {
    const given = Buffer.from(headers['x-wc-webhook-signature'] ?? '', 'base64');
    const expected = createHmac('sha256', secret).update(text, 'utf8').digest();
    return sameSecret(given, expected);
  },

  // The rest is the whole order, with its buyer.
  kept: ({ headers, body }) => ({
    topic: headers['x-wc-webhook-topic'],
    ...Named.safeParse(body).data,
  }),

  /** A deletion carries the id alone, in the same place. */
  notificationsIn({ headers, body }) {
    const named = Named.safeParse(body).data?.id;
    const [resource] = (headers['x-wc-webhook-topic'] ?? '').split('.');
    if (!named || !/^\d+$/.test(named)) return [];
    if (resource === 'order') return [{ stream: 'orders', id: named }];
    return resource === 'product' ? [{ stream: 'inventory', id: named }] : [];
  },

  /**
   * The store disables a subscription after five failures. One that the seller paused stays as the
   * seller wants it.
   */
  async ensure(call, target) {
    const webhooks = await listWebhooks(call);
    if (webhooks === null) return [];
    const ours = webhooks.filter(({ delivery_url }) => delivery_url === target.address);
    for (const topic of TOPICS)
      if (!ours.some((webhook) => webhook.topic === topic))
        await write(call, creation(topic, target));
    for (const webhook of ours)
      if (webhook.status === 'disabled') await write(call, revival(webhook, target));
    return [];
  },

  /** Webhooks cannot be put into the bin, so they are deleted by force. */
  async remove(call, { address }) {
    const ours = ((await listWebhooks(call)) ?? []).filter(
      ({ delivery_url }) => delivery_url === address,
    );
    const query = { force: 'true' };
    await Promise.all(
      ours.map(({ id }) =>
        call.request({ method: 'DELETE', path: `/webhooks/${id}`, query, expect: [404] }),
      ),
    );
  },
};

/** @returns null where the key may not look at them */
async function listWebhooks(call: Call<WooCommerceCredentials>): Promise<Webhook[] | null> {
  let mayLook = true;
  const found = await walkAll(call, 1, async (page) => {
    const query = { per_page: PAGE_SIZE, page };
    const answer = await call.request({ method: 'GET', path: '/webhooks', query, expect: MAY_NOT });
    mayLook = !MAY_NOT.includes(answer.status);
    if (!mayLook) return { rows: [], next: null };
    const isLast = page >= Number(answer.headers['x-wp-totalpages'] ?? 1);
    return { rows: Rows.parse(documentOf(answer)), next: isLast ? null : page + 1 };
  });
  return mayLook ? found.flatMap((row) => Webhook.safeParse(row).data ?? []) : null;
}

async function write(call: Call<WooCommerceCredentials>, request: CallRequest): Promise<void> {
  await call.request({ ...request, expect: MAY_NOT });
}

function creation(topic: string, { address, secret }: WebhookTarget): CallRequest {
  const json = { name: `Tianguis ${topic}`, topic, delivery_url: address, secret };
  return { method: 'POST', path: '/webhooks', body: { json } };
}

function revival({ id }: Webhook, { secret }: WebhookTarget): CallRequest {
  return { method: 'PUT', path: `/webhooks/${id}`, body: { json: { status: 'active', secret } } };
}
