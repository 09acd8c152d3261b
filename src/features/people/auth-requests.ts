import type { Keyring } from '../../platform/seal.ts';
import { withoutEnd } from '../../platform/text.ts';
import { ADDRESS_HEADER, AUTH_PATH, type GivenHeaders } from './auth-terms.ts';
import { withCurrentSignatures } from './cookies.ts';

/** A request to one of better-auth's routes, with the caller's own headers. */
export interface AuthCall {
  /** Below `/api/auth`, such as `/sign-in/email`. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: GivenHeaders;
  /** The client's address, as the front determined it. */
  readonly address: string;
  readonly body?: object | string;
}

export interface AuthAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each route has another answer
  readonly body: any;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
  readonly retryAfter: string | null;
}

/**
 * The library requires whole addresses; for IPv6 the front gives the half that identifies one
 * client.
 */
const REST = '::';
const PASSED_ON = [
  'cookie',
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
];

/** The caller's own headers, as far as the library may see them. */
export function headersOf(
  keyring: Keyring,
  given: GivenHeaders,
  address: string | null = null,
): Headers {
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = given[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (address !== null)
    headers.set(ADDRESS_HEADER, address.includes(':') ? `${address}${REST}` : address);
  const cookie = headers.get('cookie');
  if (cookie && keyring.previous) headers.set('cookie', withCurrentSignatures(keyring, cookie));
  return headers;
}

export function requestOf(
  { path, method, headers, address, body }: AuthCall,
  keyring: Keyring,
  publicUrl: string,
): Request {
  const passed = headersOf(keyring, headers, address);
  if (body !== undefined) passed.set('content-type', 'application/json');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request(`${new URL(publicUrl).origin}${AUTH_PATH}${path}`, {
    method,
    headers: passed,
    ...(body !== undefined && { body: text }),
  });
}

/** The address of a sign-in; '' elsewhere. */
export function emailIn(body: AuthCall['body']): string {
  return typeof body === 'object' && 'email' in body ? String(body.email) : '';
}

/** As the front set it. */
export function addressIn(request: Request | undefined): string | null {
  const address = request?.headers.get(ADDRESS_HEADER) ?? null;
  return address === null ? null : withoutEnd(address, REST);
}

export async function readAnswer(response: Response): Promise<AuthAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? null : parseOrNull(text),
    cookies: response.headers.getSetCookie(),
    retryAfter: response.headers.get('x-retry-after'),
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
