import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OAuthParts, Visitor } from './authorization-parts.ts';

/** Who asks; whoever is not signed in is sent to sign in and come back, which is answered here. */
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
