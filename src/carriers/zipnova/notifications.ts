import { z } from 'zod';
import type { Notification, Notifications, Webhook } from '../../connectors/contract.ts';
import { walkAll } from '../../connectors/lists.ts';
import { id, optional } from '../../connectors/wire-fields.ts';
import type { ZipnovaCredentials } from './credentials.ts';
import { listed, type ZipnovaCall } from './shipments.ts';
import { Subscription } from './wire.ts';

/** Topics that we register; `account_balance` is read where it was registered by hand. */
const TOPICS = ['status', 'shipment'];

const Body = z.object({
  topic: z.string(),
  data: z.object({ account_id: id, shipment_id: optional(id) }),
});

/**
 * Webhooks are not signed: a token in the address authenticates them, and only their identifiers
 * are used.
 */
export const notifications: Notifications<ZipnovaCredentials> = {
  isTokened: true,

  account: accountOf,

  // The other fields may hold the recipient's personal data.
  kept: ({ body }) => Body.safeParse(body).data ?? {},

  // The token proves the connection; a webhook about another account is not for it.
  verify: (push, { account_id }) => accountOf(push) === account_id,

  notificationsIn({ body }): Notification[] {
    const { data: reported } = Body.safeParse(body);
    if (!reported) return [];
    if (reported.topic === 'account_balance')
      return [{ stream: 'balances', id: reported.data.account_id }];
    const { shipment_id } = reported.data;
    return TOPICS.includes(reported.topic) && shipment_id
      ? [{ stream: 'shipments', id: shipment_id }]
      : [];
  },

  async ensure(call, { address }) {
    const path = `/accounts/${call.credentials.account_id}/webhooks`;
    const known = await webhooksAt(call, path);
    for (const topic of TOPICS) {
      const isThere = known.some((webhook) => webhook.topic === topic && webhook.url === address);
      if (!isThere)
        await call.request({ method: 'POST', path, body: { json: { topic, url: address } } });
    }
    return [];
  },

  // Webhooks that the seller registered by hand at the same address, such as the balance's, are
  // ours as well.
  async remove(call, { address }) {
    const path = `/accounts/${call.credentials.account_id}/webhooks`;
    const ours = (await webhooksAt(call, path)).filter(({ url }) => url === address);
    await Promise.all(
      ours.map(({ id }) =>
        call.request({ method: 'DELETE', path: `${path}/${id}`, expect: [404] }),
      ),
    );
  },
};

function accountOf({ body }: Webhook): string | null {
  return Body.safeParse(body).data?.data.account_id ?? null;
}

async function webhooksAt(
  call: ZipnovaCall,
  path: string,
): Promise<z.infer<typeof Subscription>[]> {
  const webhooks = await walkAll(call, 1, (page) => listed(call, path, { page }));
  return webhooks.flatMap((row) => Subscription.safeParse(row).data ?? []);
}
