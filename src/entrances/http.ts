import { IncomingMessage, ServerResponse } from 'node:http';
import type { QuotaState } from '../features/quota/index.ts';
import type { Settings } from '../platform/config.ts';
import { Failure, fail, Overload } from '../platform/failure.ts';
import { sentenceOf } from '../platform/failures.ts';
import type { Log } from '../platform/log.ts';
import { askForHelp, type Operator } from '../platform/operator.ts';
import { explanationOf } from './repairs.ts';
import { endTogether } from './write-together.ts';

/** What the front knows of a request; every surface finds it with `contextOf`. */
export interface RequestContext {
  readonly id: string;
  /** The caller's address according to the trusted proxies; IPv6 by its /64. */
  readonly address: string;
  readonly operator: Operator;
  /** The installation's address, which has the guide of errors; null = not a request of the API. */
  publicUrl: (() => string) | null;
  /** Aborts when the request's time is over or the caller left. */
  readonly signal: AbortSignal;
  /**
   * Set by the guard: what the headers say. Until then they count the address's failed
   * authentications.
   */
  quota: QuotaState | null;
  /** Set by the guard: for the log line. */
  organizationId: string | null;
  /** The W3C trace context that an agent's message names: for the log line. */
  traceparent: string | null;
}

/** A request that came through the front. */
export class FrontRequest extends IncomingMessage {
  context: RequestContext | null = null;
}

export function contextOf(request: IncomingMessage): RequestContext {
  const context = request instanceof FrontRequest ? request.context : null;
  if (!context) throw new Error('the request did not come through the front');
  return context;
}

/**
 * The name that the request was sent to: lower case, without port, and without the final dot of a
 * full name.
 */
export function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, '');
}

/**
 * An answer that cannot go out without the headers that every answer has; a surface's own go before
 * them.
 */
export class FrontResponse extends ServerResponse<FrontRequest> {
  usual: (() => Record<string, string>) | null = null;

  override writeHead(status: number, ...rest: unknown[]): this {
    const own = rest.find((part) => typeof part === 'object') as Record<string, string> | undefined;
    const usual = this.usual?.() ?? {};
    // Those of a stream were set one by one.
    for (const name of this.getHeaderNames()) delete usual[name];
    return super.writeHead(status, { ...usual, ...own });
  }

  override end(...given: unknown[]): this {
    endTogether(() => super.end(...(given as Parameters<ServerResponse['end']>)));
    return this;
  }
}

/** The three headers that every response carries. */
export function quotaHeaders(state: QuotaState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.reset),
  };
}

/** What every response says to browsers. */
export function securityHeaders(settings: Settings): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(settings.publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  };
}

/** The parts of a request's context that the body of an error needs. */
export type ErrorContext = Pick<RequestContext, 'id' | 'operator' | 'publicUrl'>;

/** The sentence that users read: what went wrong and, where asking helps, whom to ask. */
export function sentenceFor(
  { code, message }: Failure,
  { operator }: Pick<ErrorContext, 'operator'>,
): string {
  return sentenceOf(code, askForHelp(operator), message);
}

/** The error envelope, as JSON text. */
export function failureBody(failure: Failure, context: ErrorContext): string {
  const explanation = context.publicUrl && explanationOf(failure.code, context.publicUrl());
  return JSON.stringify({
    error: {
      code: failure.code,
      message: sentenceFor(failure, context),
      ...(failure.param !== undefined && { param: failure.param }),
      ...(failure.details && { details: failure.details }),
      ...(explanation !== null && { doc_url: explanation }),
    },
    meta: { request_id: context.id },
  });
}

/**
 * Anything thrown → the failure to show. What is not ours is an internal error, and its words stay
 * inside.
 */
export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : fail('internal_error', { cause: error });
}

/** Whether the work ended because the caller left, whom no answer reaches. */
export function isOfLeaving(signal: AbortSignal, failure: Failure): boolean {
  const hasLeft = signal.aborted && !(signal.reason instanceof Failure);
  return hasLeft && (failure.code === 'request_timeout' || failure.cause === signal.reason);
}

/**
 * The failure to show for what a surface threw; what is our own defect is logged as an error, with
 * this message, and what a service or the caller did in a line without a stack.
 */
export function noteFailure(
  log: Log,
  request: IncomingMessage,
  error: unknown,
  message: string,
): Failure {
  const failure = asFailure(error);
  if (failure.status < 500 || failure instanceof Overload) return failure;
  const { id, signal } = contextOf(request);
  const cause = failure.cause ?? failure;
  if (isOfLeaving(signal, failure)) log.info({ request: id }, `${message}: the caller left`);
  else if (failure.code === 'upstream_error')
    log.warn({ request: id, reason: cause instanceof Error ? cause.message : null }, message);
  else log.error({ request: id, err: cause }, message);
  return failure;
}

/**
 * Answers from outside any framework; one that was already answered, such as by the time limit,
 * stays so.
 */
export function sendFailure(
  response: ServerResponse,
  failure: Failure,
  context: ErrorContext,
): void {
  sendJson(response, failure.status, failureBody(failure, context), failure.headers);
}

/** After a form, or to where a page is. */
export function sendRedirect(response: ServerResponse, location: string): void {
  if (response.headersSent) return;
  response.writeHead(303, { location, 'content-length': 0 }).end();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/**
 * Reads the whole body. What is too much is still read, and dropped: a caller in the middle of
 * sending would never see the answer on a socket that is closed or not read.
 * @throws Failure payload_too_large, invalid_request when the caller left before the end
 */
export async function readBody(request: IncomingMessage, most: number): Promise<string> {
  return (await readBytes(request, most)).toString('utf8');
}

/** The same, as it came. */
export function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = [];
    let size = 0;
    const leave = () => {
      if (!request.readableEnded)
        reject(fail('invalid_request', { message: 'La solicitud llegó incompleta.' }));
    };
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= most) return void parts.push(part);
      parts = [];
      reject(fail('payload_too_large'));
    });
    request.once('end', () => {
      const [only] = parts;
      resolve(parts.length === 1 && only ? only : Buffer.concat(parts));
    });
    request.once('error', leave);
    request.once('close', leave);
  });
}
