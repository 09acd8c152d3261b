import type { Carrier, CarrierConnector } from '../../carriers/contract.ts';
import { findCarrier, serviceName } from '../../carriers/registry.ts';
import type { Call } from '../../connectors/contract.ts';
import {
  type Connection,
  connectedAccounts,
  connectionById,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import type { StepCall } from '../wire/call.ts';
import { asUpstream } from '../wire/errors.ts';
import { type OpenOptions, openConnection } from '../wire/open-connection.ts';

interface OpenCarrier {
  readonly connector: CarrierConnector<unknown>;
  readonly connection: SealedConnection;
  readonly call: Call<unknown>;
}

interface AccountWish {
  readonly carrier: Carrier;
  /** By the carrier's own id; null = the only one. */
  readonly accountId: string | null;
  /**
   * Connections that the matter already belongs to. Where exactly one of them is connected, it is
   * used.
   */
  readonly related?: ReadonlySet<string>;
}

/**
 * The organisation's account at a carrier: the requested one, else the related one, else the only
 * one.
 * @throws Failure carrier_not_connected, carrier_account_ambiguous
 */
export async function chooseAccount(
  scope: ReadScope,
  { carrier, accountId, related }: AccountWish,
): Promise<SealedConnection> {
  const connected = await connectedAccounts(scope, carrier);
  const named = connected.filter(
    (account) => accountId === null || account.accountId === accountId,
  );
  const own = named.filter(({ id }) => related?.has(id));
  const [only, ...others] = own.length === 1 ? own : named;
  if (!only) throw notConnected(carrier, accountId, connected);
  if (others.length > 0) throw ambiguous(carrier, named);
  return connectedById(scope, carrier, only.id);
}

/** An account by its connection. @throws Failure carrier_not_connected */
export async function connectedById(
  scope: ReadScope,
  carrier: Carrier,
  connectionId: string,
): Promise<SealedConnection> {
  const connection = await connectionById(scope, connectionId);
  if (connection?.service === carrier && connection.state !== 'disconnected') return connection;
  throw fail('carrier_not_connected', {
    message: `La cuenta de ${serviceName(carrier)} que se usó ya no está conectada. Conéctala de nuevo.`,
    details: { carrier },
  });
}

/**
 * Readies calls to an account of a carrier.
 * @throws Failure upstream_error
 */
export async function openCarrier(
  parts: ExchangeParts,
  connection: SealedConnection,
  options: Pick<OpenOptions, 'hostUrls' | 'signal'> = {},
): Promise<OpenCarrier> {
  const connector = findCarrier(connection.service as Carrier);
  if (!connector) throw fail('carrier_not_connected', { details: { carrier: connection.service } });
  const { call } = await withCarrierErrors(connector, async () =>
    openConnection(parts, connection, options),
  );
  return { connector, connection, call: callByCall(call) };
}

/** Each call to a carrier is a step of its own. */
function callByCall(call: StepCall<unknown>): Call<unknown> {
  return Object.assign(call.step(), {
    request: (...asked: Parameters<typeof call.request>) => call.step().request(...asked),
    get: ((...asked) => call.step().get(...asked)) as typeof call.get,
  });
}

/** Turns a carrier's failure into a Failure with a sentence for the requesting person. */
export async function withCarrierErrors<T>(
  { slug, name }: Pick<CarrierConnector<unknown>, 'slug' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = asUpstream(thrown, slug);
    if (!error) throw thrown;
    const message = `${name} no contestó como se esperaba, y aquí no cambió nada. Intenta de nuevo en un momento.`;
    throw fail('upstream_error', { message, details: { source: slug }, cause: error });
  }
}

function notConnected(
  carrier: Carrier,
  accountId: string | null,
  connected: readonly Connection[],
): Failure {
  if (accountId === null || connected.length === 0)
    return fail('carrier_not_connected', { details: { carrier } });
  return fail('carrier_not_connected', {
    param: 'account_id',
    message: `La cuenta ${accountId} de ${serviceName(carrier)} no está conectada. Las que sí: ${sentenceOf(connected)}.`,
    details: { carrier, accounts: detailsOf(connected) },
  });
}

function ambiguous(carrier: Carrier, accounts: readonly Connection[]): Failure {
  return fail('carrier_account_ambiguous', {
    param: 'account_id',
    message: `Tienes varias cuentas de ${serviceName(carrier)} conectadas: ${sentenceOf(accounts)}. Indica cuál usar.`,
    details: { carrier, accounts: detailsOf(accounts) },
  });
}

function sentenceOf(accounts: readonly Connection[]): string {
  return accounts
    .map(({ accountId, name }) => (name === accountId ? accountId : `${accountId} (${name})`))
    .join(', ');
}

function detailsOf(accounts: readonly Connection[]) {
  return accounts.map(({ accountId, name }) => ({ id: accountId, name }));
}
