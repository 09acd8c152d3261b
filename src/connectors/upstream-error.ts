import type { Instant } from '../platform/time.ts';

/** The kind of a failure at the service, or on the way to it. */
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
  | 'too_large'
  | 'unopened'
  | 'runaway'
  | 'endless';

/** One answer was too large, or all answers of a page together. */
export function isAnswerTooLarge(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && (error.kind === 'too_large' || error.kind === 'endless');
}

/**
 * Thrown by a call when the service failed, not this program. Its message is never shown to a user.
 */
export class UpstreamError extends Error {
  readonly kind: UpstreamKind;
  readonly slug: string;
  readonly status: number | null;
  /** The service's requested wait, in seconds. */
  readonly retryAfter: number | null;
  /** Nothing was sent, so nothing can have been done there. */
  readonly isUnsent: boolean;
  /** Since when the host has not answered, where the circuit breaker is open. */
  readonly since: Instant | null;

  constructor(
    kind: UpstreamKind,
    slug: string,
    message: string,
    context: {
      status?: number | null;
      retryAfter?: number | null;
      isUnsent?: boolean;
      since?: Instant | null;
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
    this.since = context.since ?? null;
  }

  /** The same of a request before the one that counts, which was not sent then. */
  asUnsent(): UpstreamError {
    const { kind, slug, message, status, retryAfter, since } = this;
    const context = { status, retryAfter, since, isUnsent: true, cause: this };
    return new UpstreamError(kind, slug, message, context);
  }
}
