import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BlockList, isIPv6, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import type { Quota } from '../features/quota/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/config.ts';
import { type Failure, fail } from '../platform/failure.ts';
import { newRequestId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Charge } from './guard.ts';
import {
  contextOf,
  FrontRequest,
  FrontResponse,
  failureBody,
  hostOf,
  quotaHeaders,
  type RequestContext,
  sendFailure,
} from './http.ts';
import { openTimeLimit, type TimeLimit } from './time-limit.ts';

/** One way in: the paths that it serves and who answers them. */
export interface Surface {
  /** A path, or a folder when it ends in `/`. Of those that fit a request the longest counts. */
  readonly prefix: string;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

interface FrontOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly quota: Quota;
  /** Counts the requests that no surface answers. */
  readonly charge: Charge;
  readonly log: Log;
  readonly surfaces: readonly Surface[];
}

export interface Front {
  readonly port: number;
  /** Takes no new request and waits for those running. */
  close(): Promise<void>;
}

/** What is the same for every request. */
interface Ground {
  readonly trusted: BlockList;
  readonly limit: TimeLimit;
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Of each connection the exchange that was begun last. */
  readonly latest: WeakMap<
    object,
    { readonly request: FrontRequest; readonly response: FrontResponse }
  >;
  isDraining(): boolean;
}

const MOST_URL_BYTES = 8_192;
const MOST_HEADER_BYTES = 16_384;
const MOST_HEADERS = 500;
// The parser reads more than either limit, so that it is known which one was passed, and who asks.
const MOST_PARSED_BYTES = 65_536;
const HEADERS_WITHIN_MS = 5_000;
// A body may go on arriving after the answer, but not for ever.
const BODY_GRACE_MS = 5_000;
const LINGER_MS = 1_000;
const LOOK_FOR_SLOW_ONES_MS = 1_000;
// A stopping house does not wait for quiet for ever.
const MOST_TURNS_FOR_QUIET = 3;
const LET_GO_EVERY_MS = 100;
// As many as may wait there, and more.
const MOST_TURNS_AT_THE_DOOR = 1_000;

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
  const ground: Ground = {
    trusted: blockList(settings.trustedProxies),
    limit: openTimeLimit(settings.requestTimeoutSeconds * 1000),
    securityHeaders: securityHeaders(settings),
    latest: new WeakMap(),
    isDraining: () => isDraining,
  };
  const take = (request: FrontRequest, response: FrontResponse) =>
    receive(options, ground, request, response);
  const server = createServer(
    {
      IncomingMessage: FrontRequest,
      ServerResponse: FrontResponse,
      maxHeaderSize: MOST_PARSED_BYTES,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: settings.requestTimeoutSeconds * 1000 + BODY_GRACE_MS,
      connectionsCheckingInterval: LOOK_FOR_SLOW_ONES_MS,
      keepAliveTimeout: 30_000,
      // Node's own refusals have no envelope; ours is in refusalOf.
      requireHostHeader: false,
    },
    take,
  );
  server.on('checkExpectation', take);
  server.on('connect', (request, socket) => void refuseTunnel(options, request, socket as Socket));
  server.on('clientError', (error, socket) =>
    refuseUnparsed(options, ground, error, socket as Socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as { port: number };
  log.info({ host: settings.host, port }, 'listening');
  return {
    port,
    async close() {
      // Before anybody is sent away, who would only come back.
      await letIn(server);
      isDraining = true;
      await drain(server, settings.drainSeconds * 1000);
    },
  };
}

function receive(
  options: FrontOptions,
  ground: Ground,
  request: FrontRequest,
  response: FrontResponse,
): void {
  const { settings, clock, quota, log, surfaces } = options;
  const startedAt = clock.monotonic();
  const context = openContext(options, callerOf(request, ground.trusted));
  request.context = context;
  ground.latest.set(request.socket, { request, response });
  response.usual = () => ({
    'x-request-id': context.id,
    ...quotaHeaders(context.quota ?? quota.peekFailures(context.address)),
    ...ground.securityHeaders,
    ...(ground.isDraining() && { connection: 'close' }),
  });

  const answered = ground.limit({
    abort: () => context.abort(fail('request_timeout')),
    answer: () => sendFailure(response, fail('request_timeout'), context),
  });
  response.once('close', () => {
    answered();
    if (!response.writableFinished) context.abort(new Error('the caller left'));
    log.request(clock.millis(), {
      request: context.id,
      method: request.method,
      // Without its query: a receiver's secret travels there.
      path: request.url?.split('?', 1)[0],
      status: response.statusCode,
      milliseconds: Math.round((clock.monotonic() - startedAt) * 10) / 10,
      organization: context.organizationId ?? undefined,
    });
  });

  const refusal = refusalOf(settings, request);
  const surface = refusal
    ? null
    : surfaces.find(({ prefix }) => serves(prefix, request.url ?? '/'));
  if (surface) return surface.handle(request, response);
  void refuse(options.charge, request, response, refusal ?? fail('not_found'));
}

/** The status stays what it is, whatever is left of the quota. */
async function refuse(
  charge: Charge,
  request: FrontRequest,
  response: FrontResponse,
  failure: Failure,
): Promise<void> {
  await charge(request);
  sendFailure(response, failure, contextOf(request));
}

/** The signal is made when somebody asks for it: most answers come from memory. */
function openContext(
  { clock, settings }: FrontOptions,
  address: string,
): RequestContext & { abort(why: Error): void } {
  let controller: AbortController | null = null;
  let reason: Error | null = null;
  return {
    id: newRequestId(clock.millis()),
    address,
    operator: settings,
    quota: null,
    organizationId: null,
    get signal() {
      if (!controller) {
        controller = new AbortController();
        if (reason !== null) controller.abort(reason);
      }
      return controller.signal;
    },
    abort(why) {
      reason ??= why;
      controller?.abort(reason);
    },
  };
}

function refusalOf(settings: Settings, request: FrontRequest): Failure | null {
  if ((request.url?.length ?? 0) > MOST_URL_BYTES) return fail('uri_too_long');
  const { bytes, hosts } = measure(request.rawHeaders);
  if (bytes > MOST_HEADER_BYTES || request.rawHeaders.length > 2 * MOST_HEADERS)
    return fail('headers_too_large');
  if (hosts > 1)
    return fail('invalid_request', { message: 'El encabezado Host aparece más de una vez.' });
  if (hosts === 0 && request.httpVersion === '1.1')
    return fail('invalid_request', { message: 'Falta el encabezado Host.' });
  readAbsoluteTarget(request);
  const host = hostOf(request);
  if (settings.legacyHosts.includes(host)) return fail('legacy_host_gone');
  if (settings.apiHosts.length > 0 && !settings.apiHosts.includes(host))
    return fail('misdirected_request');
  return null;
}

/** @param raw names and values in turn */
function measure(raw: readonly string[]): { bytes: number; hosts: number } {
  let [bytes, hosts] = [0, 0];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    bytes += name.length + (raw[at + 1] as string).length;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return { bytes, hosts };
}

const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]+)([/?#].*)?$/i;

/**
 * A target with scheme and host is read as its path; its host counts, not the header's (RFC 9112,
 * 3.2.2).
 */
function readAbsoluteTarget(request: FrontRequest): void {
  if (request.url?.startsWith('/')) return;
  const [, host, rest = ''] = ABSOLUTE_TARGET.exec(request.url ?? '') ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

function serves(prefix: string, url: string): boolean {
  if (!url.startsWith(prefix)) return false;
  return (
    prefix.endsWith('/') || url.length === prefix.length || '?/'.includes(url[prefix.length] ?? '')
  );
}

function securityHeaders(settings: Settings): Record<string, string> {
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

function refuseUnparsed(options: FrontOptions, ground: Ground, error: Error, socket: Socket): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET'))
    return void socket.destroy();
  if (isAnswered(ground, socket)) return letGo(socket);
  const code = 'code' in error ? error.code : '';
  const failure =
    code === 'HPE_HEADER_OVERFLOW'
      ? fail('headers_too_large')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? fail('request_timeout')
        : fail('invalid_request', { message: 'La solicitud HTTP no se pudo leer.' });
  refuseAtSocket(options, failure, socket, openContext(options, addressOf(socket)));
}

/**
 * Whether what could not be read is the rest of a request that has its answer: there is one for
 * each.
 */
function isAnswered({ latest }: Ground, socket: Socket): boolean {
  const exchange = latest.get(socket);
  return exchange?.response.headersSent === true && !exchange.request.complete;
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
  refuseAtSocket(options, failure, socket, context);
}

/** What has no response gets the same envelope and headers as everything else. */
function refuseAtSocket(
  { quota, settings }: FrontOptions,
  failure: Failure,
  socket: Socket,
  context: RequestContext,
): void {
  const body = failureBody(failure, context);
  const headers = {
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': context.id,
    ...quotaHeaders(context.quota ?? quota.peekFailures(context.address)),
    ...securityHeaders(settings),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  letGo(
    socket,
    `HTTP/1.1 ${failure.status} ${failure.code}\r\n${head.join('\r\n')}\r\n\r\n${body}`,
  );
}

/** Destroyed at once, with bytes still unread, a connection would take its last answer along. */
function letGo(socket: Socket, last = ''): void {
  socket.end(last);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function addressOf(socket: Socket): string {
  return addressKey(socket.remoteAddress ?? '');
}

/** The nearest address that is not one of our proxies. */
function callerOf(request: IncomingMessage, trusted: BlockList): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  let address = request.socket.remoteAddress ?? '';
  while (forwarded.length > 0 && isTrusted(trusted, address)) address = forwarded.pop() as string;
  return addressKey(address);
}

function isTrusted(trusted: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** One person commands a whole IPv6 /64, however its zeros are left out. */
function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:/, '');
  return isIPv6(plain)
    ? ipaddr.parse(plain).toNormalizedString().split(':').slice(0, 4).join(':')
    : plain;
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(
      address,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
      family,
    );
  }
  return list;
}

/**
 * Those who wait at the door come in, one each turn of the loop: the system would cut them off when
 * it closes.
 */
async function letIn(server: Server): Promise<void> {
  let entered = 0;
  server.on('connection', () => entered++);
  for (let [turn, before] = [1, -1]; entered !== before && turn <= MOST_TURNS_AT_THE_DOOR; turn++) {
    before = entered;
    await turnOfTheLoop();
    // The first one ends the turn under way, in which the door may have been looked at before.
    await turnOfTheLoop();
  }
}

/**
 * Nobody new is let in. A connection that waits is left open until no request came on any for so
 * long: one may be on its way from a caller who is slow too, and is still answered, as its
 * connection's last.
 */
async function drain(server: Server, quietMs: number): Promise<void> {
  let requests = 0;
  server.on('request', () => requests++);
  // The HTTP server's own close would cut the waiting ones at once.
  const over = new Promise<true>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve(true)),
  );
  for (let [turn, isLettingGo] = [1, false]; ; turn++) {
    const before = requests;
    if (await Promise.race([over, passed(isLettingGo ? LET_GO_EVERY_MS : quietMs)])) return;
    isLettingGo ||= requests === before || turn === MOST_TURNS_FOR_QUIET;
    if (isLettingGo) server.closeIdleConnections();
  }
}

/** So long, and then what came while the process was busy was read. */
async function passed(milliseconds: number): Promise<false> {
  await sleep(milliseconds, null, { ref: false });
  await turnOfTheLoop();
  return false;
}
