import type { Carrier, CarrierConnector } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import type { Call } from '../../connectors/contract.ts';
import type { SealedConnection } from '../../features/connections/index.ts';
import { fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import type { StepCall } from '../wire/call.ts';
import { asUpstream } from '../wire/errors.ts';
import { type OpenOptions, openConnection } from '../wire/open-connection.ts';

interface OpenCarrier {
  readonly connector: CarrierConnector<unknown>;
  readonly connection: SealedConnection;
  readonly call: Call<unknown>;
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
