import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher } from 'undici';
import { openDeadline } from './answer-deadline.ts';
import { type ByteBudget, holdRoom, openByteBudget } from './byte-budget.ts';
import { NetworkError } from './network-error.ts';
import { withoutMark } from './text.ts';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Reach {
  /**
   * `public`: https at an address that a customer may have typed, never inward. `any`: the operator
   * said so.
   */
  readonly addresses: 'public' | 'any';
  readonly timeoutMilliseconds: number;
  readonly maximumBytes: number;
  /** A longer answer is cut there and counts as whole; absent = it fails. */
  readonly cutsLonger?: boolean;
  /**
   * As many connections to a host as there are requests, so that none waits for another; absent =
   * at most 32.
   */
  readonly neverWaits?: boolean;
  /** How bytes become the body's characters; `latin1` keeps each of them. Default: utf8. */
  readonly encoding?: 'utf8' | 'latin1';
  readonly signal?: AbortSignal;
}

export interface Network {
  send(outgoing: OutgoingRequest, reach: Reach): Promise<Answer>;
  close(): Promise<void>;
}

/** To one host at once. */
const CONNECTIONS = 32;
/** An answer has so many bytes without asking for room. */
const SMALL_BYTES = 256 * 1024;
/** The room of all larger answers of the process: twelve of the largest of a marketplace. */
const LARGE_ANSWERS_BYTES = 96 * 1024 * 1024;
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Sends all outgoing HTTP requests. Redirects are never followed. */
export function openNetwork(): Network {
  const agents = { few: openAgents(CONNECTIONS), many: openAgents(null) };
  const budget = openByteBudget(LARGE_ANSWERS_BYTES);

  return {
    async send(outgoing, reach) {
      if (reach.addresses === 'public') refuseInward(new URL(outgoing.url));
      try {
        return await exchange(
          { agent: agents[reach.neverWaits ? 'many' : 'few'][reach.addresses], budget },
          outgoing,
          reach,
        );
      } catch (error) {
        throw asNetworkError(error);
      }
    },
    async close() {
      const all = [agents.few, agents.many].flatMap((kind) => Object.values(kind));
      await Promise.all(all.map((agent) => agent.destroy()));
    },
  };
}

/** @param connections to one host at once; null = any number */
function openAgents(connections: number | null): Record<Reach['addresses'], Agent> {
  const options = { keepAliveTimeout: 10_000, connections };
  return {
    any: new Agent(options),
    // The address is judged at the moment of connecting, so a name cannot change its meaning in
    // between.
    public: new Agent({ ...options, connect: { lookup: publicLookup } }),
  };
}

/** Whether an IP address belongs to the public internet. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // ipaddr.js calls everything unassigned unicast; the retired block ::/96 in it reaches loopback.
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast';
}

/** Whether a host of an address leads inward before its name is resolved. */
export function isInwardHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host);
}

/**
 * Whether an address that a customer typed may be called, before its name is resolved: no other port
 * of a host than the one for the public.
 */
export function isOutward({ protocol, port, hostname }: URL): boolean {
  return protocol === 'https:' && port === '' && !isInwardHost(hostname);
}

function refuseInward(url: URL): void {
  if (!isOutward(url)) throw refusedAddress(url.hostname.replace(/^\[|\]$/g, ''));
}

const publicLookup: typeof systemLookup = ((
  hostname: string,
  options: object,
  done: (error: Error | null, addresses?: unknown, family?: number) => void,
) => {
  systemLookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return done(error);
    const inward = found.find(({ address }) => !isPublic(address));
    if (inward) return done(refusedAddress(hostname));
    if ('all' in options && options.all) return done(null, found);
    done(null, found[0]?.address, found[0]?.family);
  });
}) as typeof systemLookup;

/**
 * One request and its whole answer, without the streams and signals that would take as long as
 * everything else.
 */
function exchange(
  { agent, budget }: { agent: Agent; budget: ByteBudget },
  outgoing: OutgoingRequest,
  reach: Reach,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const body = openBody(reach);
    let head: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} };
    let request: Dispatcher.DispatchController | null = null;
    let givenUp: Error | null = null;
    let leaveRoom: (() => void) | null = null;

    const giveUp = (reason: Error) => {
      givenUp ??= reason;
      // The connection may hold this answer for a while longer.
      body.forget();
      request?.abort(givenUp);
      end();
      reject(givenUp);
    };
    const leave = () =>
      giveUp(new NetworkError('broken', 'the caller gave the call up', reach.signal?.reason));
    const deadline = openDeadline(reach.timeoutMilliseconds, body.size, () =>
      giveUp(new NetworkError('timeout', 'no whole answer in time')),
    );
    deadline.begin();
    const askForRoom = (controller: Dispatcher.DispatchController) => {
      leaveRoom = holdRoom(budget, controller, roomOf(head, reach), {
        wait: () => deadline.suspend(() => giveUp(crowded())),
        // The host is not to blame for the wait, so its time begins anew.
        goOn() {
          if (givenUp) return;
          deadline.begin();
          controller.resume();
        },
      });
    };
    const end = () => {
      deadline.end();
      leaveRoom?.();
      reach.signal?.removeEventListener('abort', leave);
    };
    const finish = () => {
      const text = body.take();
      end();
      resolve({ ...head, body: text });
    };
    if (reach.signal?.aborted) return leave();
    reach.signal?.addEventListener('abort', leave);
    agent.dispatch(optionsOf(outgoing), {
      onRequestStart(controller) {
        request = controller;
        if (givenUp) controller.abort(givenUp);
      },
      onResponseStart(_, status, headers) {
        head = { status, headers: flatten(headers) };
      },
      onResponseData(controller, part) {
        if (givenUp) return;
        if (body.add(part)) {
          if (body.size() > SMALL_BYTES && leaveRoom === null) askForRoom(controller);
          return;
        }
        const { maximumBytes, cutsLonger } = reach;
        if (!cutsLonger) return giveUp(tooLarge(`the answer is larger than ${maximumBytes} bytes`));
        finish();
        request?.abort(tooLarge('the rest of the answer is not read'));
      },
      onResponseEnd() {
        finish();
      },
      onResponseError(_, error) {
        body.forget();
        end();
        reject(asNetworkError(error, head.status));
      },
    });
  });
}

/** The bytes of an answer that were read, as many as its reach allows. */
function openBody({ maximumBytes, encoding = 'utf8' }: Reach) {
  const parts: Buffer[] = [];
  let size = 0;

  const forget = () => {
    parts.length = 0;
  };
  return {
    /** Those that were cut off are counted, too. */
    size: () => size,
    /** @returns false where the answer is larger, and the rest of the part was cut off */
    add(part: Buffer): boolean {
      size += part.length;
      const extra = size - maximumBytes;
      parts.push(extra > 0 ? part.subarray(0, part.length - extra) : part);
      return extra <= 0;
    },
    /** The text of all; the bytes are forgotten. */
    take(): string {
      const text = withoutMark(Buffer.concat(parts).toString(encoding));
      forget();
      return text;
    },
    forget,
  };
}

function optionsOf({ url, method, headers, body }: OutgoingRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url);
  return {
    origin,
    path: pathname + search,
    method: method as Dispatcher.HttpMethod,
    headers: { 'accept-encoding': 'identity', ...headers },
    body: body ?? null,
  };
}

/** What a large answer may become: as much as it says, at most as much as is read of it. */
function roomOf({ headers }: Pick<Answer, 'headers'>, { maximumBytes }: Reach): number {
  const reported = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(reported) ? Math.min(reported, maximumBytes) : maximumBytes;
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return flat;
}

/** @param status of the answer that had begun; 0 = none had */
function asNetworkError(error: unknown, status = 0): NetworkError {
  if (error instanceof NetworkError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof NetworkError) return cause;
  const begun = status >= 200 ? status : null;
  return new NetworkError('broken', 'the connection broke', error, begun);
}

function tooLarge(message: string): NetworkError {
  return new NetworkError('too_large', message);
}

function crowded(): NetworkError {
  return new NetworkError('crowded', 'other large answers take all of the memory');
}

function refusedAddress(host: string): NetworkError {
  return new NetworkError('refused_address', `${host} is not a public address`);
}
