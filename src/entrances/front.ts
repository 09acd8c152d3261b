import { createServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Quota, QuotaState } from '../features/quota/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/config.ts';
import { type Failure, fail } from '../platform/failure.ts';
import { newRequestId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { beginRequestSpan } from '../platform/traces.ts';
import { addressOf, type CallerAddress, openCallerAddress } from './caller-address.ts';
import { acceptBacklog, drain } from './draining.ts';
import { sendFailurePage, wantsPage } from './failure-page.ts';
import type { Charge } from './guard.ts';
import {
  contextOf,
  FrontRequest,
  FrontResponse,
  quotaHeaders,
  type RequestContext,
  securityHeaders,
  sendFailure,
} from './http.ts';
import { loggedPath } from './logged-path.ts';
import { endSocket, failAtSocket } from './raw-answers.ts';
import { brokenRule, isHealthCheck } from './request-rules.ts';
import { type Surface, surfaceOf } from './surface.ts';
import { openTimeLimit, type TimeLimit } from './time-limit.ts';

/** Listens already; its port and further connections become ours. */
export type Holder = Server;

interface FrontOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly quota: Quota;
  /** Counts the requests that no surface answers. */
  readonly charge: Charge;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly surfaces: readonly Surface[];
  /** Without it, the port of the settings is listened on. */
  readonly holder?: Holder;
}

export interface Front {
  readonly port: number;
  /** Takes no new request and waits for those running. */
  close(): Promise<void>;
}

/** What all requests share. */
interface FrontState {
  readonly callerOf: CallerAddress;
  readonly limit: TimeLimit;
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The last response of each connection. */
  readonly latest: WeakMap<object, FrontResponse>;
  isDraining(): boolean;
}

// The parser reads more than the limits of request-rules.ts, so that the answer can name the limit
// and the request is counted.
const MOST_PARSED_BYTES = 65_536;
const HEADERS_WITHIN_MS = 5_000;
// A body may go on arriving, and an answer may stay unread, for this long after the limit.
const BODY_GRACE_MS = 5_000;
const CHECK_SLOW_EVERY_MS = 1_000;

/**
 * The one HTTP server. Gives each request its id, quota headers, security headers, time limit and
 * log line, then hands it to the surface that serves its path.
 */
export async function openFront(given: FrontOptions): Promise<Front> {
  // Of two folders, one in the other, the inner one answers.
  const surfaces = given.surfaces.toSorted((a, b) => b.prefix.length - a.prefix.length);
  const options = { ...given, surfaces };
  const { settings, log } = options;
  let isDraining = false;
  const state: FrontState = {
    callerOf: openCallerAddress(settings.trustedProxies),
    limit: openTimeLimit(settings.requestTimeoutSeconds * 1000),
    securityHeaders: securityHeaders(settings),
    latest: new WeakMap(),
    isDraining: () => isDraining,
  };
  const take = (request: FrontRequest, response: FrontResponse) =>
    receive(options, state, request, response);
  const server = createServer(
    {
      IncomingMessage: FrontRequest,
      ServerResponse: FrontResponse,
      maxHeaderSize: MOST_PARSED_BYTES,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: settings.requestTimeoutSeconds * 1000 + BODY_GRACE_MS,
      connectionsCheckingInterval: CHECK_SLOW_EVERY_MS,
      keepAliveTimeout: 30_000,
      // Node's own refusal has no envelope; brokenRule has one.
      requireHostHeader: false,
    },
    take,
  );
  // A caller that reads nothing of an answer for two such periods is gone, or wants to hold it.
  server.setTimeout(settings.requestTimeoutSeconds * 1000 + BODY_GRACE_MS);
  server.on('checkExpectation', take);
  server.on('connect', (request, socket) => void refuseTunnel(options, request, socket as Socket));
  server.on('clientError', (error, socket) =>
    refuseUnparsed(options, state, error, socket as Socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (given.holder) server.listen(given.holder, resolve);
    else server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as { port: number };
  log.info({ host: settings.host, port }, 'listening');
  return {
    port,
    async close() {
      // Before `isDraining`: it closes connections, whose callers would connect again.
      await acceptBacklog(server);
      isDraining = true;
      await drain(server, settings.drainSeconds * 1000);
    },
  };
}

function receive(
  options: FrontOptions,
  state: FrontState,
  request: FrontRequest,
  response: FrontResponse,
): void {
  const { settings, clock, quota, log, metrics, surfaces } = options;
  const startedAt = clock.monotonic();
  const context = openContext(options, state.callerOf(request));
  request.context = context;
  state.latest.set(request.socket, response);
  const broken = brokenRule(settings, request);
  const asked = surfaceOf(surfaces, request);
  context.publicUrl = asked?.publicUrl ?? null;
  const surface = broken ? null : asked;
  response.usual = () => ({
    'x-request-id': context.id,
    ...quotaHeaders(context.quota ?? quota.peekFailures(context.address)),
    ...state.securityHeaders,
    ...surface?.headers?.(),
    ...(state.isDraining() && { connection: 'close' }),
  });

  const answered = state.limit(
    () => context.abort(fail('request_timeout')),
    () => answerFailure(request, response, fail('request_timeout')),
  );
  const span = beginRequestSpan(`${request.method} ${surface?.prefix ?? 'none'}`, request.headers, {
    'tianguis.request': context.id,
  });
  response.once('close', () => {
    answered();
    span.end(response.statusCode);
    if (!response.writableFinished) context.abort(new Error('the caller left'));
    const milliseconds = clock.monotonic() - startedAt;
    metrics.requests.observe(
      { surface: surface?.prefix ?? 'none', status: String(response.statusCode) },
      milliseconds / 1000,
    );
    if (response.statusCode === 200 && isHealthCheck(request)) return;
    log.request(clock.millis(), {
      request: context.id,
      method: request.method,
      path: loggedPath(request.url ?? ''),
      status: response.statusCode,
      milliseconds: Math.round(milliseconds * 10) / 10,
      organization: context.organizationId ?? undefined,
      traceparent: context.traceparent ?? undefined,
    });
  });

  const refusal = broken ?? (surface ? surface.refusal?.() : fail('not_found'));
  if (refusal) return void refuse(options.charge, request, response, refusal);
  span.within(() => surface?.handle(request, response));
}

/** The status stays what it is, whatever is left of the quota. */
async function refuse(
  charge: Charge,
  request: FrontRequest,
  response: FrontResponse,
  failure: Failure,
): Promise<void> {
  await charge(request);
  answerFailure(request, response, failure);
}

/** These two meet people in their browser; any other refusal of the front is a program's. */
function answerFailure(request: FrontRequest, response: FrontResponse, failure: Failure): void {
  const isForPeople = failure.code === 'not_found' || failure.code === 'request_timeout';
  if (isForPeople && wantsPage(request)) return sendFailurePage(request, response, failure);
  sendFailure(response, failure, contextOf(request));
}

function openContext({ clock, settings }: FrontOptions, address: string): OpenContext {
  return new OpenContext(newRequestId(clock.millis()), address, settings);
}

/**
 * The signal is made at its first use: most answers come from memory. A class, as V8 gives each
 * object literal with a getter a shape of its own, and for the reason of `TimeLimit`.
 */
class OpenContext implements RequestContext {
  readonly id: string;
  readonly address: string;
  readonly operator: Settings;
  publicUrl: (() => string) | null = null;
  quota: QuotaState | null = null;
  organizationId: string | null = null;
  traceparent: string | null = null;
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(id: string, address: string, operator: Settings) {
    this.id = id;
    this.address = address;
    this.operator = operator;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(why: Error): void {
    this.#reason ??= why;
    this.#controller?.abort(this.#reason);
  }
}

function refuseUnparsed(
  options: FrontOptions,
  state: FrontState,
  error: Error,
  socket: Socket,
): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET'))
    return void socket.destroy();
  if (isAnswered(state, socket)) return endSocket(socket);
  const code = 'code' in error ? error.code : '';
  const failure =
    code === 'HPE_HEADER_OVERFLOW'
      ? fail('headers_too_large')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? fail('request_timeout')
        : fail('invalid_request', { message: 'La solicitud HTTP no se pudo leer.' });
  failAtSocket(options, failure, socket, openContext(options, addressOf(socket)));
}

/** Whether the unreadable bytes belong to a request that is answered already. */
function isAnswered({ latest }: FrontState, socket: Socket): boolean {
  const last = latest.get(socket);
  return last?.headersSent === true && !last.req.complete;
}

/** A CONNECT has no response of its own. */
async function refuseTunnel(
  options: FrontOptions,
  request: FrontRequest,
  socket: Socket,
): Promise<void> {
  const context = openContext(options, addressOf(socket));
  request.context = context;
  await options.charge(request);
  const failure = fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  failAtSocket(options, failure, socket, context);
}
