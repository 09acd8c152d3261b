import { FAILURES, type FailureCode, retryHeader } from './failures.ts';

interface FailureContext {
  /** The request parameter at fault. */
  readonly param?: string;
  /** Structured facts for programs; appears as `error.details`. */
  readonly details?: Record<string, unknown>;
  /** A sentence that replaces the table's own, in Spanish. */
  readonly message?: string;
  /** Extra HTTP headers, such as Allow or Retry-After. */
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/**
 * A rule of ours said no. Entrances turn it into an answer in one place; nothing else is shown to
 * users.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(code: FailureCode, context: FailureContext = {}) {
    const row = FAILURES[code];
    super(context.message ?? row.message, { cause: context.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = row.status;
    this.param = context.param;
    this.details = context.details;
    this.headers = { ...retryHeader(code), ...context.headers };
  }
}

/**
 * There is more to do than can be done now. Expected under a flood, so it is counted and not logged
 * one by one.
 */
export class Overload extends Failure {
  constructor(retryAfterSeconds: number) {
    super('service_unavailable', { headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

export function fail(code: FailureCode, context?: FailureContext): Failure {
  return new Failure(code, context);
}

/** A bad request parameter, with a sentence that says what would be right. */
export function invalid(param: string, message: string): Failure {
  return new Failure('invalid_request', { param, message });
}
