import type { Carrier, GuideApi } from '../../carriers/contract.ts';
import type { SealedConnection } from '../../features/connections/index.ts';
import {
  type Attempt,
  type GuideAccount,
  type LogisticsSettings,
  logisticsSettings,
} from '../../features/warehouse/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { chooseAccount, connectedById } from './choose-account.ts';
import { openCarrier, withCarrierErrors } from './open-carrier.ts';

/** An account that makes guides. */
export interface GuideAccountApi {
  readonly api: GuideApi;
  readonly connectionId: string;
  /** Turns the carrier's failures into Failures. */
  readonly withErrors: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * The account that makes new guides: the requested one, else that of the settings, else the only
 * one.
 * @throws Failure carrier_not_connected, carrier_account_ambiguous
 */
export async function accountForGuides(
  scope: ReadScope,
  accountId: string | null,
): Promise<SealedConnection> {
  const { carrier, carrier_account_id } = await logisticsSettings(scope);
  return chooseAccount(scope, { carrier, accountId: accountId ?? carrier_account_id });
}

/** When the carrier documented the guide of an attempt, if it did. */
export function listedWithin({ sentAt, queuedAt }: Pick<Attempt, 'sentAt' | 'queuedAt'>) {
  const from = sentAt ?? queuedAt;
  return { from, to: from.add({ hours: 24 }) };
}

/** Why no account makes the guides, as the outcome of each line of a batch. */
export function accountObstacle({
  code,
  message,
}: Failure): Extract<GuideAccount, { obstacle: unknown }> {
  const isAmbiguous = code === 'carrier_account_ambiguous';
  return { obstacle: { code: isAmbiguous ? code : 'carrier_not_connected', message } };
}

/** @throws Failure carrier_not_connected, carrier_account_ambiguous, upstream_error */
export function openGuideAccount(
  parts: ExchangeParts,
  organizationId: string,
  accountId: string | null,
): Promise<GuideAccountApi> {
  return open(parts, organizationId, (scope) => accountForGuides(scope, accountId));
}

/**
 * The account that the guide was requested from; no other account knows it.
 * @throws Failure carrier_not_connected, carrier_account_ambiguous, upstream_error
 */
export function openAccountOf(
  parts: ExchangeParts,
  organizationId: string,
  { carrier, connectionId }: Pick<Attempt, 'carrier' | 'connectionId'>,
  signal?: AbortSignal,
): Promise<GuideAccountApi> {
  const choose = (scope: ReadScope) =>
    connectionId === null
      ? chooseAccount(scope, { carrier: carrier as Carrier, accountId: null })
      : connectedById(scope, carrier as Carrier, connectionId);
  return open(parts, organizationId, choose, signal);
}

async function open(
  parts: ExchangeParts,
  organizationId: string,
  choose: (scope: ReadScope) => Promise<SealedConnection>,
  signal?: AbortSignal,
): Promise<GuideAccountApi> {
  const { connection, settings } = await parts.database
    .within(organizationId)
    .read(async (scope) => ({
      connection: await choose(scope),
      settings: await logisticsSettings(scope),
    }));
  const hostUrls = hostsOf(settings, connection);
  const { connector, call } = await openCarrier(parts, connection, { hostUrls, signal });
  const api = connector.guides?.(call);
  if (!api)
    throw fail('carrier_not_connected', { message: `${connector.name} no hace guías desde aquí.` });
  return {
    api,
    connectionId: connection.id,
    withErrors: (work) => withCarrierErrors(connector, work),
  };
}

/** The address of the settings is that of their carrier. */
function hostsOf(
  { carrier, guide_url }: LogisticsSettings,
  { service }: SealedConnection,
): Readonly<Record<string, string>> {
  return guide_url === null || service !== carrier ? {} : { guide: guide_url };
}
