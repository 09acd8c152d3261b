import type { Carrier, CarrierConnector } from '../carriers/contract.ts';
import { findCarrier } from '../carriers/registry.ts';
import type { Call } from '../connectors/contract.ts';
import { connectionById, listConnections, type SealedConnection } from '../features/connections/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { asUpstream } from './errors.ts';
import { openConnection } from './open-connection.ts';
import type { ExchangeParts } from './parts.ts';

export interface OpenCarrier {
  readonly connector: CarrierConnector<unknown>;
  readonly connection: SealedConnection;
  readonly call: Call<unknown>;
}

/** The organisation's account at a carrier; null = none, or several, so that nobody can say which one is meant. */
export async function carrierAccount(scope: ReadScope, carrier: Carrier): Promise<SealedConnection | null> {
  const accounts = (await listConnections(scope)).filter(
    ({ service, state }) => service === carrier && state !== 'disconnected',
  );
  const [only, ...others] = accounts;
  return only && others.length === 0 ? connectionById(scope, only.id) : null;
}

/**
 * Readies calls to a carrier. `hostUrls`: other addresses for single hosts.
 * @throws Failure carrier_not_connected
 */
export async function openCarrier(
  parts: ExchangeParts,
  organizationId: string,
  carrier: Carrier,
  hostUrls: Readonly<Record<string, string>> = {},
): Promise<OpenCarrier> {
  const connector = findCarrier(carrier);
  const connection = await parts.database
    .within(organizationId)
    .read((scope) => carrierAccount(scope, carrier));
  if (!connector || !connection) throw fail('carrier_not_connected', { details: { carrier } });
  const { call } = await tellingCarrier(connector, async () => openConnection(parts, connection, hostUrls));
  return { connector, connection, call };
}

/** What a carrier's failure means to the person who asked for something. */
export async function tellingCarrier<T>(
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
