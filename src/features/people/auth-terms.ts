/** The parts of better-auth's configuration that other modules need, without loading it. */
import { sha256 } from '../../platform/ids.ts';
import { derive, type Keyring, keyNumber } from '../../platform/seal.ts';

/** A request's headers, by their names in lower case. */
export interface GivenHeaders {
  readonly cookie?: string | undefined;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Where the library's own routes are. */
export const AUTH_PATH = '/api/auth';
/** Set by us alone; a caller's header of this name is dropped. */
export const ADDRESS_HEADER = 'x-tianguis-address';
const COOKIE_PREFIX = 'tianguis';

/** The same machine has several names, and browsers send the one that was typed. */
export function originsOf(publicUrl: string): string[] {
  const { origin, hostname, protocol, port } = new URL(publicUrl);
  const names = ['localhost', '127.0.0.1', '[::1]'];
  if (!names.includes(hostname)) return [origin];
  return names.map(
    (name) => new URL(`${protocol}//${name}:${port || (protocol === 'https:' ? 443 : 80)}`).origin,
  );
}

export function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/**
 * The prefix of all cookie names. With `__Host-` a browser accepts them over https for this host
 * alone.
 */
export function cookiePrefix(isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${COOKIE_PREFIX}`;
}

/** Each secret under the number of its master key: the former one still opens what it encrypted. */
export function secretsOf({ current, previous }: Keyring): { version: number; value: string }[] {
  return [current, ...(previous ? [previous] : [])].map((master) => ({
    version: keyNumber(master),
    value: derive(master, 'people').toString('base64url'),
  }));
}

/** The normalised hash of a backup code, however it was typed. */
export function hashBackupCode(typed: string): string {
  return sha256(typed.toLowerCase().replace(/[^a-z0-9]/g, ''));
}
