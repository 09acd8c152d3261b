import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, request } from 'undici';

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
  /** `public`: https at an address that a customer may have typed, never inward. `any`: the operator said so. */
  readonly addresses: 'public' | 'any';
  readonly timeoutMilliseconds: number;
  readonly maximumBytes: number;
  /** How bytes become the body's characters; `latin1` keeps each of them. Default: utf8. */
  readonly encoding?: 'utf8' | 'latin1';
  readonly signal?: AbortSignal;
}

const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The request did not come back whole: refused, timed out, reset, or too large. */
export class NetworkError extends Error {
  readonly kind: 'refused_address' | 'timeout' | 'too_large' | 'broken';
  /** No connection was had: whatever was to be sent did not leave. */
  readonly isUnsent: boolean;

  constructor(kind: NetworkError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NetworkError';
    this.kind = kind;
    this.isUnsent = kind === 'refused_address' || UNCONNECTED.has(codeOf(cause));
  }
}

export interface Network {
  send(outgoing: OutgoingRequest, reach: Reach): Promise<Answer>;
  close(): Promise<void>;
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** The only way out of the house. Redirects are never followed. */
export function openNetwork(): Network {
  const agents = {
    any: new Agent({ keepAliveTimeout: 10_000, connections: 32 }),
    // The address is judged at the moment of connecting, so a name cannot change its meaning in between.
    public: new Agent({ keepAliveTimeout: 10_000, connections: 32, connect: { lookup: publicLookup } }),
  };

  return {
    async send(outgoing, reach) {
      if (reach.addresses === 'public') refuseInward(new URL(outgoing.url));
      const timeout = AbortSignal.timeout(reach.timeoutMilliseconds);
      const signal = reach.signal ? AbortSignal.any([timeout, reach.signal]) : timeout;
      try {
        const answer = await request(outgoing.url, {
          method: outgoing.method as 'GET',
          headers: { 'accept-encoding': 'identity', ...outgoing.headers },
          body: outgoing.body ?? null,
          dispatcher: agents[reach.addresses],
          signal,
        });
        const body = await readBounded(answer.body, reach.maximumBytes, reach.encoding ?? 'utf8');
        return { status: answer.statusCode, headers: flatten(answer.headers), body };
      } catch (error) {
        throw asNetworkError(error, timeout);
      }
    },
    async close() {
      await Promise.all([agents.any.destroy(), agents.public.destroy()]);
    },
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

/** The address itself, where it stands for a name; and no other door of a host than the one for the public. */
function refuseInward({ protocol, port, hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:' || port !== '' || (isIP(host) && !isPublic(host))) throw refusedAddress(host);
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

async function readBounded(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  most: number,
  encoding: 'utf8' | 'latin1',
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > most) {
      body.destroy();
      throw new NetworkError('too_large', `the answer is larger than ${most} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString(encoding);
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return flat;
}

function asNetworkError(error: unknown, timeout: AbortSignal): NetworkError {
  if (error instanceof NetworkError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof NetworkError) return cause;
  if (timeout.aborted) return new NetworkError('timeout', 'no whole answer in time', error);
  return new NetworkError('broken', 'the connection broke', error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function refusedAddress(host: string): NetworkError {
  return new NetworkError('refused_address', `${host} is not a public address`);
}
