import type { IncomingMessage } from 'node:http';
import { fail } from '../../platform/failure.ts';
import { hostOf } from '../http.ts';

/** The origins that may call; read late, since the system may choose the port. */
export interface Allowed {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** This instance is one's own machine's: any port of it may call. */
  readonly isLocal: boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** @param urls our own addresses */
export function allowedFrom(
  urls: readonly string[],
  further: { hosts: readonly string[]; origins: readonly string[] },
): Allowed {
  const own = urls.map((url) => new URL(url));
  const isLocal = own.some(({ hostname }) => LOOPBACK.includes(hostname));
  return {
    hosts: [...own.map(({ hostname }) => hostname), ...further.hosts, ...(isLocal ? LOOPBACK : [])],
    origins: [...own.map(({ origin }) => origin), ...further.origins],
    isLocal,
  };
}

/**
 * A page that had its name point at us, or that is not one of ours, gets nothing (DNS rebinding).
 * @returns the page's origin, null where it is no page that calls
 * @throws Failure misdirected_request, origin_not_allowed
 */
export function originOf(
  request: IncomingMessage,
  { hosts, origins, isLocal }: Allowed,
): string | null {
  if (!hosts.includes(hostOf(request))) throw fail('misdirected_request');
  const { origin } = request.headers;
  if (origin === undefined) return null;
  const url = URL.parse(origin);
  const isKnown =
    url?.origin === origin &&
    (origins.includes(origin) || (isLocal && LOOPBACK.includes(url.hostname)));
  if (!isKnown) throw fail('origin_not_allowed');
  return origin;
}

/** What a page of an allowed origin may send and see. No cookies: the token is all that counts. */
export function pageHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'www-authenticate, retry-after, x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
    vary: 'origin',
  };
}

export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id',
  'access-control-max-age': '600',
};
