import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../platform/failure.ts';
import { readBody } from '../http.ts';
import type { OAuthParts, Visitor } from './parts.ts';

const MOST_BODY_BYTES = 64 * 1024;

/** Who asks; whoever is not signed in is sent to sign in and come back, which is answered here. */
export async function visitorOf(
  parts: OAuthParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Visitor | null> {
  const visitor = await parts.people.personOf(request.headers);
  if (visitor) return visitor;
  const back = encodeURIComponent(request.url ?? '/');
  response.writeHead(303, { location: `/entrar?volver=${back}`, 'content-length': 0 }).end();
  return null;
}

/**
 * The fields of a form of our own page.
 * @throws Failure invalid_request when it was sent from anywhere else
 */
export async function readForm(parts: OAuthParts, request: IncomingMessage): Promise<URLSearchParams> {
  // A browser always says where a form comes from.
  if (!parts.people.isOwnOrigin(request.headers.origin ?? ''))
    throw fail('invalid_request', {
      message: 'Esta solicitud no viene de nuestra página. Ábrela de nuevo y vuelve a intentarlo.',
    });
  return new URLSearchParams(await readBody(request, MOST_BODY_BYTES));
}
