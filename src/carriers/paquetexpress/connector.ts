import type { Auth, Verdict, WireAnswer, WireRequest } from '../../connectors/contract.ts';
import type { CarrierConnector } from '../contract.ts';
import { PAQUETEXPRESS_FORM, PaquetexpressCredentials } from './credentials.ts';
import { DETAILS } from './details.ts';
import { openGuides } from './guide.ts';
import { GUIDE_DEFAULTS } from './guide-defaults.ts';
import { isOfSession, logIn, withSession } from './session.ts';
import { SESSION_PLACEHOLDER, shipments } from './shipments.ts';
import { standingOf } from './standing.ts';
import { versions } from './versions.ts';
import { readEnvelope, readPushed } from './wire.ts';

const HOST = 'https://cc.paquetexpress.com.mx';

const auth: Auth<PaquetexpressCredentials> = {
  kind: 'client_credentials',
  credentials: PaquetexpressCredentials,
  form: PAQUETEXPRESS_FORM,
  hosts: ({ guide_url }) => ({ default: HOST, guide: guide_url ?? HOST }),
  sign,

  /** There is no call for the account's name; a session is the proof. */
  async check(call) {
    const session = await logIn(call);
    const { username } = call.credentials;
    return { accountId: username, name: username, credentials: { ...call.credentials, session } };
  },

  /** A session ends after about half a minute; the next refused call opens a new one. */
  async renew(call) {
    const session = await logIn(call);
    return { credentials: { ...call.credentials, session }, secondsToLive: null };
  },
};

/** The session is put into the envelope of a POST body, and into the path of a history. */
function sign(
  request: WireRequest,
  { username, session = '' }: PaquetexpressCredentials,
): WireRequest {
  if (request.body !== undefined)
    return { ...request, body: withSession(request.body, username, session) };
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(
    /^(.*\/guia\/historico\/[^/]+)\/([^/]+)$/,
    // A missing session is refused like an expired one.
    (whole, path, part) =>
      part === SESSION_PLACEHOLDER ? `${path}/${encodeURIComponent(session || '-')}` : whole,
  );
  return { ...request, url };
}

/** Every answer is a 200; only `success` gives the outcome. */
function verdict({ body }: WireAnswer): Verdict | null {
  const envelope = readEnvelope(body);
  if (envelope === null) return null;
  if (envelope.success) return 'ok';
  return envelope.messages.some(isOfSession) ? 'renew' : 'refuse';
}

/**
 * Paquetexpress. Its limits are not published; the number of calls grows with the parcels in
 * transit.
 */
export const paquetexpress: CarrierConnector<PaquetexpressCredentials> = {
  slug: 'paquetexpress',
  name: 'Paquetexpress',
  facts: {
    eventsPath: '/webhooks/paquetexpress',
    details: DETAILS,
    guideDefaults: GUIDE_DEFAULTS,
  },
  auth,
  versions,
  rates: {
    default: { perMinute: 300, burst: 20, concurrency: 4, window: 'bucket', shared: 'connection' },
    guides: { perMinute: 60, burst: 10, concurrency: 2, window: 'bucket', shared: 'connection' },
  },
  verdict,
  shipments,
  guides: openGuides,
  traceEvery: { minutes: 120 },
  standingOf,
  readPushed,
};
