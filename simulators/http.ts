/**
 * The small loopback server under every simulator: a table of routes, plain replies, a log, a clean
 * end.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
  form(): URLSearchParams;
  json(): unknown;
}

/** A string or bytes are sent as they are, anything else as JSON; none at all stays empty. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** 'GET /orders/:id' → what to answer. The first route that fits is taken. */
export type Routes = Readonly<Record<string, (call: Call) => Reply | Promise<Reply>>>;

/** A reply as it goes over the wire, and how it ends there. */
export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** `latin1`: the text has one character for each byte. Default: utf8. */
  readonly encoding?: 'latin1';
  /** So many blanks follow the text: they leave every document what it is. */
  readonly blanks?: number;
  readonly end?: 'whole' | 'reset' | 'never';
  readonly fault?: string | null;
}

export interface LoggedRequest {
  /** By the simulator's clock, epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** 0 = never answered. */
  readonly status: number;
  readonly fault: string | null;
}

interface ServeOptions {
  routes: Routes;
  /** For a path that no route knows. */
  missing: Reply;
  /** Between the caller and the routes: where faults are put in. */
  through?: (call: Call, answer: () => Promise<Wire>) => Promise<Wire>;
  /**
   * The path that a call is logged and hit by faults under, where one address serves everything.
   * Default: its own.
   */
  nameOf?: (call: Call) => string;
  now?: () => number;
  port?: number;
}

interface Server {
  readonly url: string;
  /** The newest 20,000, oldest first. */
  readonly requests: readonly LoggedRequest[];
  close(): Promise<void>;
}

/** Thrown by a route that says no. */
export class Refusal extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

export async function serve({
  routes,
  missing,
  through,
  nameOf,
  now = Date.now,
  port = 0,
}: ServeOptions): Promise<Server> {
  const table = Object.entries(routes).map(([route, handler]) => ({
    fits: matcher(route),
    handler,
  }));
  const requests: LoggedRequest[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = now();
    const call = await readCall(request);
    const named = nameOf ? { ...call, path: nameOf(call) } : call;
    const wire = await (through ? through(named, () => answer(call)) : answer(call));
    const { status, end = 'whole', fault = null } = wire;
    requests.push({
      at,
      method: call.method,
      path: nameOf ? named.path : (request.url ?? ''),
      status: end === 'never' ? 0 : status,
      fault,
    });
    if (requests.length > 20_000) requests.splice(0, 1_000);
    send(response, wire);
  }

  async function answer(call: Call): Promise<Wire> {
    for (const { fits, handler } of table) {
      const params = fits(call.method, call.path);
      if (params) return toWire(await settle(() => handler({ ...call, params })));
    }
    return toWire(missing);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((cause) => {
      // The caller went away in the middle of its own request.
      if (request.destroyed && !request.complete) return;
      console.error('a simulator failed', request.method, request.url, cause);
      response.writeHead(500).end(String(cause));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function toWire({ status = 200, headers = {}, body }: Reply): Wire {
  if (Buffer.isBuffer(body))
    return { status, headers, text: body.toString('latin1'), encoding: 'latin1' };
  const json = body !== undefined && typeof body !== 'string';
  return {
    status,
    headers: { ...(json && { 'content-type': 'application/json; charset=utf-8' }), ...headers },
    text: json ? JSON.stringify(body) : ((body as string | undefined) ?? ''),
  };
}

/** Sends a webhook, as marketplaces do: the status that answers it, 0 without an answer in time. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  patience?: number,
): Promise<number> {
  try {
    const signal = patience === undefined ? null : AbortSignal.timeout(patience);
    const answer = await fetch(url, { method: 'POST', headers, body, signal });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** At most so many calls in any 60 s, counted apart for each key: may this one pass? */
export function perMinuteLimit(perMinute: number, now: () => number): (key: string) => boolean {
  if (perMinute === Number.POSITIVE_INFINITY) return () => true;
  const passed = new Map<string, number[]>();
  return (key) => {
    const recent = (passed.get(key) ?? []).filter((at) => at > now() - 60_000);
    const free = recent.length < perMinute;
    passed.set(key, free ? [...recent, now()] : recent);
    return free;
  };
}

async function settle(work: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Refusal) return cause.reply;
    throw cause;
  }
}

function send(response: ServerResponse, wire: Wire): void {
  const { status, headers, text, encoding = 'utf8', blanks = 0, end = 'whole' } = wire;
  if (end === 'never') return;
  const bytes = Buffer.from(text, encoding);
  response.writeHead(
    status,
    status === 204 ? headers : { ...headers, 'content-length': String(bytes.length + blanks) },
  );
  if (end === 'whole') {
    if (blanks > 0) response.write(bytes);
    response.end(status === 204 ? undefined : blanks > 0 ? blank(blanks) : bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.resetAndDestroy());
}

let blankBytes = Buffer.alloc(0);

/** A part of one buffer, since the largest answers are sent again and again. */
function blank(length: number): Buffer {
  if (blankBytes.length < length) blankBytes = Buffer.alloc(length, ' ');
  return blankBytes.subarray(0, length);
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers as Call['headers'],
    params: {},
    text,
    bytes,
    form: () => new URLSearchParams(text),
    json: () => JSON.parse(text),
  };
}

function matcher(route: string): (method: string, path: string) => Record<string, string> | null {
  const [method, pattern = ''] = route.split(' ');
  const shape = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`);
  return (askedMethod, path) => {
    if (askedMethod !== method) return null;
    const found = shape.exec(path);
    return found && mapValues(found.groups ?? {}, decodeURIComponent);
  };
}

function mapValues(
  record: Record<string, string>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
