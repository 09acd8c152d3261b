/** What the browser sends from our own pages; from anywhere else nothing is taken. */
import type { IncomingMessage } from 'node:http';
import { fail } from '../platform/failure.ts';
import { readBody } from './http.ts';

/** Whether the address of a request is one of ours. */
type IsOwnOrigin = (origin: string) => boolean;

const MOST_BYTES = 64 * 1024;
/** PostgreSQL's text has no NUL, and no keyboard types one. */
const NUL = /\0|%00|\\u0000/;
const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * The fields of a form.
 * @throws Failure origin_not_allowed, invalid_request, payload_too_large
 */
export async function readForm(
  request: IncomingMessage,
  isOwnOrigin: IsOwnOrigin,
): Promise<URLSearchParams> {
  const text = await readOwn(request, isOwnOrigin);
  if (!FORM.test(request.headers['content-type'] ?? '') && text !== '')
    throw fail('invalid_request');
  return new URLSearchParams(text);
}

/** The same of a script: the body as it came. */
export async function readOwn(
  request: IncomingMessage,
  isOwnOrigin: IsOwnOrigin,
  mostBytes = MOST_BYTES,
): Promise<string> {
  const { origin } = request.headers;
  const isOwn =
    origin === undefined
      ? request.headers['sec-fetch-site'] === 'same-origin'
      : isOwnOrigin(origin);
  const text = await readBody(request, mostBytes);
  if (!isOwn) throw fail('origin_not_allowed');
  if (NUL.test(text)) throw fail('invalid_request');
  return text;
}
