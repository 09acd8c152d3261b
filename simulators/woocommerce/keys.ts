/** The keys of the store's API, and their permissions. */
import { type Call, Refusal } from '../http.ts';
import { ON_ITS_WAY } from './facts.ts';
import { refusalReply, refuse } from './shop.ts';

export interface WooCommerceKeys {
  url: string;
  consumer_key: string;
  consumer_secret: string;
  statuses: Record<string, 'shipped'>;
}

export const NO_KEYS = refusalReply(
  401,
  'woocommerce_rest_cannot_view',
  'Sorry, you cannot list resources.',
);
const WRONG_SECRET = refusalReply(
  401,
  'woocommerce_rest_authentication_error',
  'Consumer secret is invalid.',
);

interface Options {
  may?: 'read' | 'write';
  stripsHeader?: boolean;
}

export function openKeys(home: string, { may: granted, stripsHeader = false }: Options) {
  let count = 1;
  const key = () => `ck_${String(count).padStart(40, '0')}`;
  const secret = () => `cs_${String(count).padStart(40, '0')}`;

  /** An unknown key counts as none; only of a known one the secret is looked at. */
  function caller(call: Call, may: 'read' | 'write' = 'read'): void {
    const given = keysOf(call, stripsHeader);
    if (given?.key !== key()) throw new Refusal(NO_KEYS);
    if (given.secret !== secret()) throw new Refusal(WRONG_SECRET);
    if (may === 'write' && granted === 'read')
      throw refuse(
        401,
        'woocommerce_rest_authentication_error',
        'The API key provided does not have write permissions.',
      );
  }

  return {
    caller,
    credentials: (): WooCommerceKeys => ({
      url: home,
      consumer_key: key(),
      consumer_secret: secret(),
      statuses: { [ON_ITS_WAY]: 'shipped' },
    }),
    revoke: () => {
      count += 1;
    },
  };
}

function keysOf(
  { headers, query }: Call,
  isStripped: boolean,
): { key: string; secret: string } | null {
  const named = query.get('consumer_key');
  if (named !== null) return { key: named, secret: query.get('consumer_secret') ?? '' };
  const [, basic] = /^Basic (.+)$/.exec((!isStripped && headers.authorization) || '') ?? [];
  if (!basic) return null;
  const [key = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
  return { key, secret };
}
