import type { IncomingMessage } from 'node:http';
import { wantsPage } from './failure-page.ts';
import type { Surface } from './front.ts';

/** The one that serves a request's path. @param surfaces those with longer prefixes first */
export function surfaceOf(
  surfaces: readonly Surface[],
  request: IncomingMessage,
): Surface | undefined {
  return surfaces.find(
    ({ prefix, isForPages }) =>
      serves(prefix, request.url ?? '/') && (!isForPages || wantsPage(request)),
  );
}

function serves(prefix: string, url: string): boolean {
  if (!url.startsWith(prefix)) return false;
  return (
    (prefix.endsWith('/') && prefix !== '/') ||
    url.length === prefix.length ||
    '?/'.includes(url[prefix.length] ?? '')
  );
}
