import type { ServiceSlug } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import type { UpstreamError, UpstreamKind } from '../../connectors/upstream-error.ts';
import type { ConnectionState } from '../../features/connections/index.ts';
import { type Instant, timeInMexico } from '../../platform/time.ts';

interface Consequence {
  readonly state: ConnectionState;
  /** The seller's sentence; `{name}` is replaced by the name of the marketplace or carrier. */
  readonly message: string;
  /** Whether it concerns the connection, whichever of its streams met it. */
  readonly isWide: boolean;
}

/**
 * The kind of a failure that stops a job, the service's or ours; `behind`: a sync run ended, and
 * could not read all changes.
 */
export type TroubleKind = UpstreamKind | 'behind' | 'busy' | 'defect';

/** The state of a connection after such a failure, and the seller's sentence. */
export function consequenceOf(kind: TroubleKind, slug: ServiceSlug): Consequence {
  const { message, ...rest } = CONSEQUENCES[kind];
  return { ...rest, message: message.replace('{name}', serviceName(slug)) };
}

/** The seller's sentence for one failure: that of its kind, or since when the host is silent. */
export function sentenceOf(
  { kind, since }: UpstreamError,
  slug: ServiceSlug,
  now: Instant,
): string {
  if (!since) return consequenceOf(kind, slug).message;
  return `${serviceName(slug)} no responde desde ${timeInMexico(since, now)}. Volveremos a intentarlo automáticamente.`;
}

const CONSEQUENCES: Readonly<Record<TroubleKind, Consequence>> = {
  unreachable: {
    state: 'delayed',
    message: '{name} no responde por ahora. Volveremos a intentarlo automáticamente.',
    isWide: true,
  },
  throttled: {
    state: 'delayed',
    message: '{name} nos pidió ir más despacio. Seguimos en un momento.',
    isWide: true,
  },
  /** Our own pace under a tight limit is no failure. */
  paced: {
    state: 'ok',
    message: '{name} limitó las consultas; continuaremos automáticamente en un momento.',
    isWide: true,
  },
  unauthorized: {
    state: 'reauth_required',
    message:
      'El acceso a tu cuenta de {name} venció o fue retirado. Reconéctala para seguir; no se pierde nada.',
    isWide: true,
  },
  forbidden: {
    state: 'reauth_required',
    message:
      'Tu cuenta de {name} no nos da permiso para leer esto. Reconéctala con un usuario administrador.',
    isWide: false,
  },
  /** Ends when the seller has paid there. */
  unpaid: {
    state: 'error',
    message:
      '{name} suspendió tu tienda o su aplicación por un pago pendiente. Regulariza el pago allá; después continuaremos automáticamente.',
    isWide: true,
  },
  /** An address that a customer typed leads into a private network. */
  inward: {
    state: 'error',
    message:
      'La dirección de tu tienda de {name} no es pública, así que no la consultamos. Reconéctala con la que usan tus compradores.',
    isWide: true,
  },
  refused: {
    state: 'error',
    message: '{name} rechazó una consulta. Ya lo estamos revisando.',
    isWide: false,
  },
  unreadable: {
    state: 'error',
    message: '{name} respondió algo que no entendemos. Ya lo estamos revisando.',
    isWide: false,
  },
  too_large: {
    state: 'error',
    message:
      '{name} nos manda más de lo que podemos leer de una sola vez. Ya lo estamos revisando.',
    isWide: false,
  },
  behind: {
    state: 'delayed',
    message:
      '{name} nos manda los cambios de tus órdenes con más datos de los que podemos leer. Las órdenes nuevas siguen entrando; los cambios pueden tardar hasta una hora. Ya lo estamos revisando.',
    isWide: true,
  },
  runaway: {
    state: 'error',
    message: '{name} repite la misma página. Ya lo estamos revisando.',
    isWide: false,
  },
  endless: {
    state: 'error',
    message:
      '{name} nos da más páginas de las que puede llenar una cuenta. Ya lo estamos revisando.',
    isWide: false,
  },
  /** The stored credentials do not open with our keys. Ends when the right key is back. */
  unopened: {
    state: 'error',
    message: 'No pudimos abrir el acceso guardado a tu cuenta de {name}. Ya lo estamos revisando.',
    isWide: true,
  },
  /** The database was away, or this process could not go on. */
  busy: {
    state: 'delayed',
    message:
      'Tuvimos una interrupción de nuestro lado. Continuaremos automáticamente en unos minutos.',
    isWide: true,
  },
  defect: {
    state: 'error',
    message:
      'Tuvimos un problema de nuestro lado con tu cuenta de {name}. Ya lo estamos revisando; no tienes que hacer nada.',
    isWide: false,
  },
};
