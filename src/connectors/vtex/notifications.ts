import { z } from 'zod';
import { sameSecret } from '../../platform/seal.ts';
import { parseOrNull } from '../answer-document.ts';
import type { Call, Notifications } from '../contract.ts';
import { optional } from '../wire-fields.ts';
import type { VtexCredentials } from './credentials.ts';
import { OUR_FILTER } from './feed.ts';

const CONFIG = '/api/orders/hook/config';
/** Ours to choose: VTEX signs nothing, and sends what it was given. */
const SECRET_HEADER = 'x-tianguis-secret';

const Notice = z.object({
  OrderId: optional(z.string()),
  Origin: optional(z.object({ Account: optional(z.string()) })),
});
const Hook = z.object({
  hook: z.object({ url: z.string(), headers: optional(z.record(z.string(), z.unknown())) }),
});

export const notifications: Notifications<VtexCredentials> = {
  account: ({ body }) => Notice.safeParse(body).data?.Origin?.Account ?? null,

  verify({ body, headers }, { account }, { secret }) {
    const named = Notice.safeParse(body).data?.Origin?.Account ?? account;
    return named === account && secret !== '' && sameSecret(headers[SECRET_HEADER] ?? '', secret);
  },

  // The ping to a new address names no order, and only needs an answer.
  notificationsIn({ body }) {
    const id = Notice.safeParse(body).data?.OrderId;
    return id ? [{ stream: 'orders', id }] : [];
  },

  /** A key has one hook: another system's stays, and the feed alone serves us. */
  async ensure(call, { address, secret }) {
    const known = await hookOf(call);
    if (known && (known.url !== address || known.headers?.[SECRET_HEADER] === secret)) return [];
    const json = {
      filter: OUR_FILTER,
      hook: { url: address, headers: { [SECRET_HEADER]: secret } },
    };
    await call.request({ method: 'POST', path: CONFIG, body: { json } });
    return [];
  },

  async remove(call, { address }) {
    const known = await hookOf(call);
    if (known?.url === address)
      await call.request({ method: 'DELETE', path: CONFIG, expect: [404] });
  },
};

interface KnownHook {
  /** Null = an answer that cannot be read, which is left alone. */
  readonly url: string | null;
  readonly headers: Readonly<Record<string, unknown>> | null;
}

/** @returns null where the key has no hook */
async function hookOf(call: Call<VtexCredentials>): Promise<KnownHook | null> {
  const answer = await call.request({ method: 'GET', path: CONFIG, expect: [404] });
  if (answer.status === 404) return null;
  return Hook.safeParse(parseOrNull(answer.body)).data?.hook ?? { url: null, headers: null };
}
