import { z } from 'zod';
import type { Call, CallRequest } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { PaquetexpressCredentials } from './credentials.ts';
import { type Envelope, envelopeOf, type Message, Session } from './wire.ts';

const LOGIN_PATH = '/RadRestFul/api/rad/loginv1/login';

/** Opens a session of about half a minute. */
export async function logIn(
  call: Call<PaquetexpressCredentials>,
  host: 'default' | 'guide' = 'default',
): Promise<string> {
  const { username, token } = call.credentials;
  const password = Buffer.from(token).toString('base64');
  const answer = await call.request({
    method: 'POST',
    host,
    path: LOGIN_PATH,
    body: { json: { header: { security: { user: username, password } } } },
    anonymous: true,
  });
  return Session.parse(envelopeOf(answer).data).token;
}

/** Where no session opens, the request that needs it was not sent. */
function unsent(error: unknown): never {
  if (error instanceof UpstreamError) throw error.asUnsent();
  if (!(error instanceof z.ZodError)) throw error;
  const context = { isUnsent: true, cause: error };
  throw new UpstreamError('unreadable', 'paquetexpress', error.message, context);
}

/** Whether a message means that the session expired, or that user and token do not match. */
export function isOfSession({ code, description }: Message): boolean {
  if (code === '401') return true;
  const said = description.toLowerCase();
  const token = said.indexOf('token');
  return token !== -1 && /expir|inv[aá]lid|venci/.test(said.slice(token));
}

/** The envelope of a request; signing puts the session into it. */
export function posted(path: string, data: unknown, objectDTO: unknown = null): CallRequest {
  const request = { data, objectDTO };
  return {
    method: 'POST',
    path,
    body: { json: { header: {}, body: { request, response: null } } },
  };
}

/** Adds the session of the signing account. */
export function withSession(body: string, user: string, token: string): string {
  return JSON.stringify({ ...JSON.parse(body), header: { security: { user, type: 0, token } } });
}

/**
 * Calls the host of guides, which may differ from the host of the rest, in a session of its own:
 * one for the batch, and one new one when it expires.
 */
export function openGuideSession(call: Call<PaquetexpressCredentials>) {
  let session: string | null = null;

  async function send(request: CallRequest): Promise<Envelope> {
    session ??= await logIn(call, 'guide').catch(unsent);
    const body = request.body && 'json' in request.body ? JSON.stringify(request.body.json) : '{}';
    const json: unknown = JSON.parse(withSession(body, call.credentials.username, session));
    const own = { host: 'guide', rate: 'guides', anonymous: true, mayBeRefused: true } as const;
    return envelopeOf(await call.request({ ...request, ...own, body: { json } }));
  }

  return async (request: CallRequest): Promise<Envelope> => {
    const isFresh = session === null;
    const envelope = await send(request);
    if (envelope.success || isFresh || !envelope.messages.some(isOfSession)) return envelope;
    session = null;
    return send(request);
  };
}
