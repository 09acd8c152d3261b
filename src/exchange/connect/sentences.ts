import type { ConnectedService } from '../../carriers/registry.ts';
import type { UpstreamKind } from '../../connectors/upstream-error.ts';
import { Failure, fail } from '../../platform/failure.ts';
import { asUpstream } from '../wire/errors.ts';

const WHY: Partial<Record<UpstreamKind, string>> = {
  unauthorized: '{name} no aceptó las credenciales. Revísalas o genera unas nuevas.',
  forbidden: '{name} no da permiso a esta cuenta. Usa una cuenta administradora.',
  unpaid:
    '{name} suspendió esta tienda o su aplicación por un pago pendiente. Regulariza el pago allá e intenta de nuevo.',
  inward:
    'La dirección de la tienda no es pública, así que no la consultamos. Escribe la que usan tus compradores.',
  refused: '{name} no aceptó las credenciales. Revísalas o genera unas nuevas.',
  unreachable: '{name} no responde por ahora. Intenta de nuevo en unos minutos.',
  paced: '{name} permite pocas consultas. Intenta de nuevo en unos minutos.',
  throttled: '{name} nos pidió ir más despacio. Intenta de nuevo en unos minutos.',
};
const NOT_UNDERSTOOD = '{name} respondió algo que no entendemos.';

/** Turns a failure of the service into a Failure with a sentence for the seller. */
export async function withSellerErrors<T>(
  connector: ConnectedService,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    const error = asUpstream(thrown, connector.slug);
    if (!error) throw thrown;
    const message = (WHY[error.kind] ?? NOT_UNDERSTOOD).replace('{name}', connector.name);
    throw fail('upstream_error', { message, details: { source: connector.slug }, cause: error });
  }
}
