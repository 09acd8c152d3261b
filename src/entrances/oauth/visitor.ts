import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONFIRM_PATH } from '../../features/people/index.ts';
import { signInAddress } from '../navigation.ts';
import type { OAuthParts, Visitor } from './authorization-parts.ts';

/** The signed-in person; without a session the answer is a redirect to the sign-in page. */
export async function visitorOf(
  parts: OAuthParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Visitor | null> {
  const visitor = await parts.people.signedIn(request.headers);
  if (!visitor) redirect(response, signInAddress(request.url ?? '/', request.method === 'POST'));
  return visitor;
}

/**
 * The same for what gives others access: a person with a second factor that this session has not
 * used is redirected to the page that asks for it.
 */
export async function confirmedVisitorOf(
  parts: OAuthParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Visitor | null> {
  const visitor = await visitorOf(parts, request, response);
  if (!visitor || parts.people.factorLack(visitor) !== 'not_used') return visitor;
  redirect(response, `${CONFIRM_PATH}?volver=${encodeURIComponent(request.url ?? '/')}`);
  return null;
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'content-length': 0 }).end();
}
