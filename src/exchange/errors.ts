import { ZodError } from 'zod';
import type { ServiceSlug } from '../carriers/contract.ts';
import { findService } from '../carriers/registry.ts';
import type { ConnectionState } from '../features/connections/index.ts';
import { SealError } from '../platform/seal.ts';

export type UpstreamKind =
  | 'unreachable'
  | 'throttled'
  | 'paced'
  | 'unauthorized'
  | 'forbidden'
  | 'unpaid'
  | 'inward'
  | 'refused'
  | 'unreadable'
  | 'unopened'
  | 'runaway';

/** Somebody else failed. It moves the connection's state and is never shown raw. */
export class UpstreamError extends Error {
  readonly kind: UpstreamKind;
  readonly slug: string;
  readonly status: number | null;
  /** Seconds that the other side asked us to stay away. */
  readonly retryAfter: number | null;
  /** Nothing left the house, so nothing can have been done there. */
  readonly isUnsent: boolean;

  constructor(
    kind: UpstreamKind,
    slug: string,
    message: string,
    context: {
      status?: number;
      retryAfter?: number | null;
      isUnsent?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: context.cause });
    this.name = 'UpstreamError';
    this.kind = kind;
    this.slug = slug;
    this.status = context.status ?? null;
    this.retryAfter = context.retryAfter ?? null;
    this.isUnsent = context.isUnsent ?? false;
  }
}

/** The account was disconnected while somebody still asked for it: no fault of anybody, and nothing is noted of it. */
export class LeftMeanwhile extends UpstreamError {
  constructor(slug: string) {
    super('unauthorized', slug, 'the account was disconnected meanwhile');
  }
}

interface Consequence {
  readonly state: ConnectionState;
  /** What the seller reads; `{name}` stands for the marketplace or carrier. */
  readonly message: string;
  /** Whether it is about the connection, whichever of its streams met it. */
  readonly isWide: boolean;
}

/** What a kind means for a connection of this service, and the sentence that the seller reads. */
export function consequenceOf(kind: UpstreamKind, slug: ServiceSlug): Consequence {
  const { message, ...rest } = CONSEQUENCES[kind];
  return { ...rest, message: message.replace('{name}', findService(slug)?.name ?? slug) };
}

const CONSEQUENCES: Readonly<Record<UpstreamKind, Consequence>> = {
  unreachable: {
    state: 'delayed',
    message: '{name} no responde por ahora. Lo intentamos de nuevo solos.',
    isWide: true,
  },
  throttled: {
    state: 'delayed',
    message: '{name} nos pidió ir más despacio. Seguimos en un momento.',
    isWide: true,
  },
  /** Our own pace under a tight limit: nobody failed. */
  paced: {
    state: 'ok',
    message: '{name} permite pocas consultas; seguimos solos en un momento.',
    isWide: true,
  },
  unauthorized: {
    state: 'reauth_required',
    message: 'El acceso a tu cuenta venció o fue retirado. Reconéctala para seguir; no se pierde nada.',
    isWide: true,
  },
  forbidden: {
    state: 'reauth_required',
    message: 'Tu cuenta no nos da permiso para leer esto. Reconéctala con un usuario administrador.',
    isWide: false,
  },
  /** It passes when the seller has paid there. */
  unpaid: {
    state: 'error',
    message:
      'El marketplace suspendió tu tienda o su aplicación por un pago pendiente. Ponte al corriente allá; después seguimos solos.',
    isWide: true,
  },
  /** An address that a customer typed means a machine of ours, or of nobody. */
  inward: {
    state: 'error',
    message:
      'La dirección de la tienda no es pública, así que no la consultamos. Reconéctala con la que usan tus compradores.',
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
  runaway: {
    state: 'error',
    message: '{name} repite la misma página. Ya lo estamos revisando.',
    isWide: false,
  },
  /** The stored credentials do not open with our keys. It passes when the right key is back. */
  unopened: {
    state: 'error',
    message: 'No pudimos abrir el acceso guardado a tu cuenta. Ya lo estamos revisando.',
    isWide: true,
  },
};

/**
 * What a failure means for the connection: an answer that its connector could not read is the other side's too.
 * Null = it is ours.
 */
export function asUpstream(error: unknown, slug: string): UpstreamError | null {
  if (error instanceof UpstreamError) return error;
  if (error instanceof ZodError || error instanceof SyntaxError)
    return new UpstreamError('unreadable', slug, error.message, { cause: error });
  if (error instanceof SealError) return new UpstreamError('unopened', slug, error.message, { cause: error });
  return null;
}
