import { timingSafeEqual } from 'node:crypto';
import type { ConnectedService } from '../../carriers/registry.ts';
import { isId, sha256 } from '../../platform/ids.ts';
import type { ExchangeParts } from '../parts.ts';

/**
 * The webhook address of one connection. A token names the connection and authenticates the sender.
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

/** The connection that a token names; null = it is no token of ours. */
export function namedBy(token: string): string | null {
  const [id = ''] = token.split('.');
  return isId(id) ? id : null;
}

/** Compares in constant time. */
export function proves(token: string, connectionId: string, secret: string): boolean {
  return timingSafeEqual(
    Buffer.from(sha256(token)),
    Buffer.from(sha256(`${connectionId}.${secret}`)),
  );
}
