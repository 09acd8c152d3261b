import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../platform/failure.ts';
import { wantsPage } from './failure-page.ts';

/** A part of the service: the paths that it serves, and the handler of their requests. */
export interface Surface {
  /** A path, or a folder when it ends in `/`; `/` is that path alone. Of those that fit a request the longest counts. */
  readonly prefix: string;
  /** It answers browsers alone; programs get what they would get without it. */
  readonly isForPages?: true;
  /** Beside those that every answer has. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The installation's address, which has the guide of errors; absent = not a surface of the API. */
  readonly publicUrl?: () => string;
  /** What each request is refused with at present; null = they are answered. */
  readonly refusal?: () => Failure | null;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** Finds the surface of a request. @param surfaces those with longer prefixes first */
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
