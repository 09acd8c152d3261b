import { z } from 'zod';
import { parseOrNull } from '../../connectors/answer-document.ts';
import type { Auth, WireAnswer } from '../../connectors/contract.ts';
import { walkAll } from '../../connectors/lists.ts';
import { fail, invalid } from '../../platform/failure.ts';
import type { CarrierConnector } from '../contract.ts';
import { balances } from './balances.ts';
import { ZIPNOVA_FORM, ZipnovaCredentials } from './credentials.ts';
import { notifications } from './notifications.ts';
import { openOwnFleet } from './own-fleet.ts';
import { listed, shipments, type ZipnovaCall } from './shipments.ts';
import { versions } from './versions.ts';
import { AccountRow, type ZipnovaAccount } from './wire.ts';

/** Accounts named in a sentence; `details.accounts` has all of them. */
const MOST_NAMED = 10;
const LONGEST_PAUSE_MS = 180_000;

const auth: Auth<ZipnovaCredentials> = {
  kind: 'api_key',
  credentials: ZipnovaCredentials,
  form: ZIPNOVA_FORM,
  hosts: () => ({ default: 'https://api.zipnova.com.mx/v2' }),

  sign: (request, { api_token, api_secret }) => ({
    ...request,
    headers: {
      ...request.headers,
      authorization: `Basic ${Buffer.from(`${api_token}:${api_secret}`).toString('base64')}`,
    },
  }),

  async check(call) {
    const account = chooseAccount(await accountsOf(call), call.credentials.account_id);
    return {
      accountId: account.id,
      name: nameOf(account),
      credentials: { ...call.credentials, account_id: account.id },
    };
  },
};

async function accountsOf(call: ZipnovaCall): Promise<ZipnovaAccount[]> {
  const accounts = await walkAll(call, 1, (page) => listed(call, '/accounts', { page }));
  return accounts.map((row) => AccountRow.parse(row));
}

function chooseAccount(
  accounts: readonly ZipnovaAccount[],
  wanted: string | undefined,
): ZipnovaAccount {
  const [first, ...others] = accounts;
  if (!first) {
    throw invalid(
      'api_token',
      'Estas credenciales no dan acceso a ninguna cuenta de Zipnova. Genera otras con un usuario que la administre.',
    );
  }
  if (wanted === undefined && others.length === 0) return first;
  const chosen = accounts.find(({ id }) => id === wanted);
  if (chosen) return chosen;
  const known = namesOf(accounts);
  const message =
    wanted === undefined
      ? `Estas credenciales dan acceso a varias cuentas de Zipnova: ${known}. Elige una con account_id.`
      : `Estas credenciales no dan acceso a la cuenta ${wanted} de Zipnova, solo a: ${known}. Elige una con account_id.`;
  const details = {
    accounts: accounts.map((account) => ({ id: account.id, name: nameOf(account) })),
  };
  throw fail('invalid_request', { param: 'account_id', message, details });
}

function namesOf(accounts: readonly ZipnovaAccount[]): string {
  const named = accounts
    .slice(0, MOST_NAMED)
    .map((account) => `${account.id} (${nameOf(account)})`);
  const more = accounts.length - named.length;
  return more > 0 ? `${named.join(', ')} y ${more} más` : named.join(', ');
}

function nameOf({ id, name, company_name }: ZipnovaAccount): string {
  return name ?? company_name ?? id;
}

/** The refusal of a cancellation has status 401, and the credentials are still valid. */
const Refused = z.object({ success: z.literal(false) });

/** The limit is the server's; the answer says when it ends. */
function pace({ status, headers }: WireAnswer): number {
  const seconds = Number(headers['retry-after']);
  return status === 429 && seconds > 0 ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : 0;
}

/** Zipnova (formerly Zippin): shipments by many carriers, paid in advance. */
export const zipnova: CarrierConnector<ZipnovaCredentials> = {
  slug: 'zipnova',
  name: 'Zipnova',
  facts: { eventsPath: null, details: null, guideDefaults: null },
  auth,
  versions,
  rates: {
    // The limit is 1000 a minute per IP address, for all callers together.
    default: { perMinute: 800, concurrency: 8, window: 'sliding', shared: 'server' },
  },
  verdict: ({ status, body }) =>
    status === 401 && Refused.safeParse(parseOrNull(body)).success ? 'refuse' : null,
  pace,
  shipments,
  balances,
  notifications,
  ownFleet: openOwnFleet,
};
