import type { Carrier } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import {
  connectedAccounts,
  connectionById,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { ambiguous, notConnected } from './account-refusals.ts';

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
