import { z } from 'zod';
import type { Call, Notification, Notifications } from '../contract.ts';
import { id, optional, whole } from '../wire-fields.ts';
import { ask, askList } from './ask.ts';
import { applicationOf, type TiktokShopCredentials } from './credentials.ts';
import { PERMISSION } from './orders.ts';
import { isPushSigned } from './signature.ts';
import { trimmed, verdictOf } from './wire.ts';

const SELLER_DEAUTHORIZATION = 6;
const UPCOMING_AUTHORIZATION_EXPIRATION = 7;

/** The events about orders, and about the permission. */
const EVENTS = [
  'ORDER_STATUS_CHANGE',
  'RECIPIENT_ADDRESS_UPDATE',
  'PACKAGE_UPDATE',
  'SELLER_DEAUTHORIZATION',
  'UPCOMING_AUTHORIZATION_EXPIRATION',
  'CANCELLATION_STATUS_CHANGE',
  'RETURN_STATUS_CHANGE',
] as const;

/** What an application may lack the permission for; without the others there are no pushes. */
const OPTIONAL: Partial<Record<(typeof EVENTS)[number], string>> = {
  RECIPIENT_ADDRESS_UPDATE: 'los cambios de dirección',
  PACKAGE_UPDATE: 'los paquetes',
  CANCELLATION_STATUS_CHANGE: 'las cancelaciones',
  RETURN_STATUS_CHANGE: 'las devoluciones',
};

const Notice = z.object({ type: whole, shop_id: id });
const OfOrders = z.object({
  data: z.object({
    order_id: optional(id),
    package_list: optional(z.array(z.object({ order_id_list: optional(z.array(id)) }))),
  }),
});
const Webhook = z.object({ event_type: z.string(), address: z.string() });

const WEBHOOKS = '/event/202309/webhooks';

export const notifications: Notifications<TiktokShopCredentials> = {
  account: ({ body }) => Notice.safeParse(trimmed(body)).data?.shop_id ?? null,

  verify({ headers, text }, credentials, { application }) {
    const keys = applicationOf(credentials, application);
    return keys !== null && isPushSigned(text, headers.authorization ?? '', keys);
  },

  notificationsIn({ body }): Notification[] {
    const type = Notice.safeParse(body).data?.type;
    // The fetch shows whether the connection must be made anew.
    if (type === SELLER_DEAUTHORIZATION || type === UPCOMING_AUTHORIZATION_EXPIRATION)
      return [{ stream: 'orders', id: PERMISSION }];
    const reported = OfOrders.safeParse(trimmed(body)).data?.data;
    const packed =
      reported?.package_list?.flatMap(({ order_id_list }) => order_id_list ?? []) ?? [];
    const ids = new Set([...(reported?.order_id ? [reported.order_id] : []), ...packed]);
    return [...ids]
      .filter((one) => /^\d+$/.test(one))
      .map((one) => ({ stream: 'orders', id: one }));
  },

  /** One address an event; an address of another instance is left alone. */
  async ensure(call, { address }) {
    const known = await webhooksOf(call);
    const refused: string[] = [];
    for (const event_type of EVENTS) {
      const there = known.find((webhook) => webhook.event_type === event_type)?.address;
      if (there === address || (there !== undefined && !isOfSameInstance(there, address))) continue;
      const json = { address, event_type };
      const what = OPTIONAL[event_type];
      const put = { method: 'PUT', path: WEBHOOKS, body: { json } } as const;
      const answer = await call.request({ ...put, mayBeRefused: what !== undefined });
      const isTaken = answer.status < 400 && verdictOf(answer) === null;
      if (!isTaken && what) refused.push(what);
    }
    if (refused.length === 0) return [];
    return [
      `TikTok Shop no nos avisa de ${refused.join(', ')}: revisa los permisos de la aplicación. Mientras tanto consultamos esos cambios.`,
    ];
  },

  async remove(call, { address }) {
    const ours = (await webhooksOf(call)).filter((webhook) => webhook.address === address);
    const drop = (json: object) =>
      ask(call, { method: 'DELETE', path: WEBHOOKS, body: { json } }, z.unknown());
    await Promise.all(ours.map(({ event_type }) => drop({ event_type })));
  },
};

async function webhooksOf(call: Call<TiktokShopCredentials>): Promise<z.infer<typeof Webhook>[]> {
  const { rows } = await askList(call, { method: 'GET', path: WEBHOOKS }, 'webhooks');
  return z.array(Webhook).parse(trimmed(rows));
}

function isOfSameInstance(there: string, ours: string): boolean {
  return URL.parse(there)?.origin === new URL(ours).origin;
}
