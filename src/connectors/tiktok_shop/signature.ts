import { createHmac } from 'node:crypto';
import { sameSecret } from '../../platform/seal.ts';
import type { Application, WireRequest } from '../contract.ts';

type Keys = Pick<Application, 'clientId' | 'clientSecret'>;

const UNSIGNED = ['sign', 'access_token'];

/**
 * Path, sorted query and the body as it is sent, between two secrets: hex HMAC-SHA256 with the same
 * secret.
 */
export function signatureOf({ url, headers, body }: WireRequest, secret: string): string {
  const query = [...url.searchParams]
    .filter(([name]) => !UNSIGNED.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => name + value);
  const isMultipart = headers['content-type']?.startsWith('multipart/') ?? false;
  const text = url.pathname + query.join('') + (isMultipart ? '' : (body ?? ''));
  return hmac(secret, secret + text + secret);
}

/** For a webhook: the application's key and the body as received. */
export function isPushSigned(
  text: string,
  given: string,
  { clientId, clientSecret }: Keys,
): boolean {
  return sameSecret(given, hmac(clientSecret, clientId + text));
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
