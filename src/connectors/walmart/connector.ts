import { parseLossless } from '../../platform/json.ts';
import type { Auth, Call, Connector, WireAnswer } from '../contract.ts';
import { WALMART_FORM, WalmartCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { orders } from './orders.ts';
import { readStored } from './read-order.ts';
import { versions } from './versions.ts';
import { Token } from './wire.ts';

const auth: Auth<WalmartCredentials> = {
  kind: 'client_credentials',
  credentials: WalmartCredentials,
  form: WALMART_FORM,
  hosts: () => ({ default: 'https://marketplace.walmartapis.com' }),
  sign: (request, credentials) => ({
    ...request,
    headers: {
      ...request.headers,
      ...headersOf(credentials),
      ...(credentials.access_token && { 'WM_SEC.ACCESS_TOKEN': credentials.access_token }),
    },
  }),

  /** There is no call for the account's name; a token for the market is the proof. */
  async check(call) {
    const { access_token, expires_in: secondsToLive } = await askToken(call);
    const { client_id } = call.credentials;
    const credentials = { ...call.credentials, access_token };
    return { accountId: client_id, name: client_id, credentials, secondsToLive };
  },

  async renew(call) {
    const { access_token, expires_in } = await askToken(call);
    return { credentials: { ...call.credentials, access_token }, secondsToLive: expires_in };
  },
};

/**
 * On every call, the one for a token included; the old Mexican documents want Basic beside the
 * token.
 */
function headersOf({
  client_id,
  client_secret,
  global_version,
}: WalmartCredentials): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    'WM_SVC.NAME': 'Walmart Marketplace',
    'WM_QOS.CORRELATION_ID': crypto.randomUUID(),
    WM_MARKET: 'mx',
    ...(global_version && { WM_GLOBAL_VERSION: global_version }),
  };
}

async function askToken(call: Call<WalmartCredentials>) {
  const answer = await call.request({
    method: 'POST',
    path: '/v3/token',
    headers: headersOf(call.credentials),
    body: { form: { grant_type: 'client_credentials' } },
    anonymous: true,
  });
  return Token.parse(parseLossless(answer.body));
}

/** A bucket that is empty says when it is filled again. */
function pace({ headers, fetchedAt }: WireAnswer): number {
  const left = headers['x-current-token-count'];
  const filledAt = headers['x-next-replenishment-time'] ?? '';
  if (left === undefined || Number(left) >= 1 || !/^\d{13}$/.test(filledAt)) return 0;
  return Math.max(0, Number(filledAt) - fetchedAt.epochMilliseconds);
}

/** Walmart México. Its limits are buckets of undisclosed size for each API, reported in headers. */
export const walmart: Connector<WalmartCredentials> = {
  slug: 'walmart',
  name: 'Walmart',
  facts: { packsTravelTogether: false, reservedIn: null, copiedFrom: {} },
  auth,
  versions,
  rates: {
    default: { perMinute: 300, burst: 20, concurrency: 4, window: 'bucket', shared: 'connection' },
    returns: { perMinute: 300, burst: 20, concurrency: 4, window: 'bucket', shared: 'connection' },
    items: { perMinute: 300, burst: 20, concurrency: 4, window: 'bucket', shared: 'connection' },
  },
  pace,
  orders,
  readStored,
  inventory,
};
