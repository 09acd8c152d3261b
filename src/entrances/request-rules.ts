import type { Settings } from '../platform/config.ts';
import { type Failure, fail } from '../platform/failure.ts';
import { type FrontRequest, hostOf } from './http.ts';

const MOST_URL_BYTES = 8_192;
const MOST_HEADER_BYTES = 16_384;
const MOST_HEADERS = 500;

/** Load balancers and containers request these by an address, or name no host. */
export const HEALTH = { lives: '/healthz', works: '/readyz' } as const;

/**
 * The rule of length, host or address that a request breaks; null = none. Reads an absolute target
 * as its path.
 */
export function brokenRule(settings: Settings, request: FrontRequest): Failure | null {
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
  if (settings.apiHosts.length === 0 || settings.apiHosts.includes(host)) return null;
  return isHealthCheck(request) ? null : fail('misdirected_request');
}

/** A load balancer checks each process twice a second. */
export function isHealthCheck({ url = '' }: FrontRequest): boolean {
  const paths: readonly string[] = Object.values(HEALTH);
  return paths.includes(url.split('?', 1)[0] ?? '');
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
