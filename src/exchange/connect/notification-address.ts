import { timingSafeEqual } from 'node:crypto';
import type { ConnectedService } from '../../carriers/registry.ts';
import { isId, sha256 } from '../../platform/ids.ts';
import type { ExchangeParts } from '../parts.ts';

/**
 * Where a service sends the pushes of one connection. The token names the connection and proves who
 * sends.
 */
export function notificationAddressOf(
  { publicUrl }: Pick<ExchangeParts, 'publicUrl'>,
  { slug, notifications }: ConnectedService,
  connectionId: string,
  secret: string,
): string {
  const base = `${publicUrl}/api/webhooks/${slug}`;
  return notifications?.isTokened
    ? `${base}?token=${connectionId}.${secret}`
    : `${base}/${connectionId}`;
}

/** The connection that a token says it is of; null = it is no token of ours. */
export function namedBy(token: string): string | null {
  const [id = ''] = token.split('.');
  return isId(id) ? id : null;
}

/** In a time that tells nothing of the secret. */
export function proves(token: string, connectionId: string, secret: string): boolean {
  return timingSafeEqual(
    Buffer.from(sha256(token)),
    Buffer.from(sha256(`${connectionId}.${secret}`)),
  );
}
