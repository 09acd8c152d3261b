import { createHmac } from 'node:crypto';
import { type Keyring, sameSecret } from '../../platform/seal.ts';
import { cookiePrefix, type GivenHeaders, secretsOf } from './auth-terms.ts';

const DEVICE_SECONDS = 365 * 24 * 3_600;
const REGISTRATION_SECONDS = 24 * 3_600;

/**
 * The library signs cookies with one secret: those signed with the former key are signed again
 * before it reads them.
 */
export function withCurrentSignatures(keyring: Keyring, header: string): string {
  const [current, previous] = secretsOf(keyring).map(({ value }) => value);
  return cookiesOf(header)
    .map(([name, value]) => {
      const [, content, signature] = /^(.*)\.([^.]+)$/.exec(decodeURIComponentOr(value)) ?? [];
      const isFormer =
        content !== undefined &&
        signature !== undefined &&
        previous !== undefined &&
        sameSecret(sign(content, previous), signature);
      return `${name}=${isFormer ? encodeURIComponent(`${content}.${sign(content, current as string)}`) : value}`;
    })
    .join('; ');
}

/** The name under which a second step was begun; null where there is none. */
export function secondStepOf(header: string): string | null {
  const found = cookiesOf(header).find(([name]) =>
    name.endsWith(`${cookiePrefix(false)}.two_factor`),
  );
  return found ? decodeURIComponentOr(found[1]).replace(/\.[^.]*$/, '') : null;
}

function sign(content: string, secret: string): string {
  return createHmac('sha256', secret).update(content).digest('base64');
}

function cookiesOf(header: string): [string, string][] {
  return header.split(';').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The cookie that marks a known browser, as Set-Cookie. */
export function deviceCookie(device: string, isSecure: boolean): string {
  return ownCookie('device', device, DEVICE_SECONDS, isSecure);
}

export function deviceIn(headers: GivenHeaders, isSecure: boolean): string | null {
  return ownValue('device', headers, isSecure);
}

/** The cookie of the browser that registered, as Set-Cookie. */
export function registrationCookie(mark: string, isSecure: boolean): string {
  return ownCookie('registration', mark, REGISTRATION_SECONDS, isSecure);
}

export function registrationIn(headers: GivenHeaders, isSecure: boolean): string | null {
  return ownValue('registration', headers, isSecure);
}

type OwnCookie = 'device' | 'registration';

function ownCookie(name: OwnCookie, value: string, seconds: number, isSecure: boolean): string {
  return `${cookiePrefix(isSecure)}.${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

function ownValue(name: OwnCookie, headers: GivenHeaders, isSecure: boolean): string | null {
  const full = `${cookiePrefix(isSecure)}.${name}`;
  return cookiesOf(headers.cookie ?? '').find(([key]) => key === full)?.[1] ?? null;
}
