import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OAuthParts, Visitor } from './authorization-parts.ts';

/** The signed-in person; without a session the answer is a redirect to the sign-in page. */
export async function visitorOf(
  parts: OAuthParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Visitor | null> {
  const visitor = await parts.people.signedIn(request.headers);
  if (visitor) return visitor;
  const back = encodeURIComponent(request.url ?? '/');
  response.writeHead(303, { location: `/entrar?volver=${back}`, 'content-length': 0 }).end();
  return null;
}
