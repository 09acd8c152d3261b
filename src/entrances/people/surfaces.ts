/** The pages of people, and better-auth's few routes that a page of ours asks by script. */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AUTH_PATH, mayAddPasskey } from '../../features/people/index.ts';
import { openCountedWarning } from '../../platform/counted-warning.ts';
import { fail, Overload } from '../../platform/failure.ts';
import { PRIVACY_PATH } from '../../platform/operator.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { type Asset, assetOnce, sendAsset } from '../assets.ts';
import { sendFailurePage } from '../failure-page.ts';
import { contextOf, noteFailure, sendFailure, sendJson } from '../http.ts';
import { readForm, readOwn } from '../own-form.ts';
import {
  COPY_SCRIPT_PATH,
  EXPORTS_SCRIPT_PATH,
  FRAME_STYLE_PATH,
  MENUS_SCRIPT_PATH,
  renderPage,
  SCRIPT_PATH,
  STYLE_PATH,
} from '../page.ts';
import type { Surface } from '../surface.ts';
import { frameAround } from './frame.ts';
import type { PageRequest, PeoplePageParts, Reply } from './page-request.ts';
import { ROUTES, type Route } from './routes.ts';
import { failureOf } from './words.ts';

const PREFIXES = [
  '/entrar',
  '/registro',
  '/verificar-correo',
  '/recuperar',
  '/restablecer',
  '/invitacion',
  '/cuenta',
  PRIVACY_PATH,
];

interface ScriptRule {
  readonly method: 'GET' | 'POST';
  readonly returnsData: boolean;
  /** Only right after the password and the second factor were given. */
  readonly addsPasskey?: true;
  /** The mail about it. */
  readonly change?: string;
}

/** What a script may ask; everything else of better-auth's is asked by our pages alone. */
const BY_SCRIPT: Readonly<Record<string, ScriptRule>> = {
  '/passkey/generate-authenticate-options': { method: 'GET', returnsData: true },
  '/passkey/verify-authentication': { method: 'POST', returnsData: false },
  '/passkey/generate-register-options': { method: 'GET', returnsData: true, addsPasskey: true },
  '/passkey/verify-registration': {
    method: 'POST',
    returnsData: false,
    addsPasskey: true,
    change: 'Se agregó una llave de acceso.',
  },
};

const FILES: Readonly<Record<string, () => Promise<Asset>>> = {
  [FRAME_STYLE_PATH]: assetOnce('text/css', () =>
    readFile(new URL('../marco.css', import.meta.url)),
  ),
  [STYLE_PATH]: assetOnce('text/css', () => readFile(new URL('pagina.css', import.meta.url))),
  [SCRIPT_PATH]: assetOnce('text/javascript', () =>
    readFile(new URL('passkeys.js', import.meta.url)),
  ),
  [EXPORTS_SCRIPT_PATH]: assetOnce('text/javascript', () =>
    readFile(new URL('exportaciones.js', import.meta.url)),
  ),
  [COPY_SCRIPT_PATH]: assetOnce('text/javascript', () =>
    readFile(new URL('copiar.js', import.meta.url)),
  ),
  [MENUS_SCRIPT_PATH]: assetOnce('text/javascript', () =>
    readFile(new URL('menus.js', import.meta.url)),
  ),
};

export function peopleSurfaces(parts: PeoplePageParts): Surface[] {
  const warn = openCountedWarning(
    parts.clock,
    parts.log,
    'sign-ins refused: too many passwords at once',
  );
  const surface = (prefix: string, answer: Answer, refuse: Refuse) =>
    surfaceAt(parts, { prefix, answer, refuse, warn });
  return [
    surface(`${AUTH_PATH}/`, answerScript, (request, response, failure) =>
      sendFailure(response, failure, contextOf(request)),
    ),
    surface('/pagina/', sendFile, (request, response, failure) =>
      sendFailure(response, failure, contextOf(request)),
    ),
    ...PREFIXES.map((prefix) => surface(prefix, answerPage, sendFailurePage)),
  ];
}

type Answer = (
  parts: PeoplePageParts,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;
type Refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  failure: ReturnType<typeof fail>,
) => void;

/** @param rule.warn counts refusals for overload, which are not logged one by one */
function surfaceAt(
  parts: PeoplePageParts,
  {
    prefix,
    answer,
    refuse,
    warn,
  }: { prefix: string; answer: Answer; refuse: Refuse; warn: () => void },
): Surface {
  return {
    prefix,
    handle(request, response) {
      answer(parts, request, response).catch((error) => {
        if (error instanceof Overload) warn();
        refuse(request, response, noteFailure(parts.log, request, error, 'account page failed'));
      });
    },
  };
}

async function answerPage(
  parts: PeoplePageParts,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://tianguis');
  const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : undefined;
  if (!route) throw fail('not_found');
  const handler = route[(request.method === 'HEAD' ? 'GET' : request.method) as keyof Route];
  if (!handler)
    throw fail('method_not_allowed', { headers: { allow: Object.keys(route).join(', ') } });
  const page: PageRequest = {
    ...parts,
    headers: request.headers,
    address: contextOf(request).address,
    operator: contextOf(request).operator,
    query: searchParams,
    isForm: request.method === 'POST',
    form:
      request.method === 'POST'
        ? await readForm(request, parts.people.isOwnOrigin)
        : new URLSearchParams(),
  };
  const reply = await handler(page);
  send(response, 'to' in reply ? reply : { ...reply, ...(await frameAround(page, pathname)) });
}

function send(response: ServerResponse, reply: Reply): void {
  if (response.headersSent) return;
  if (reply.cookies) response.setHeader('set-cookie', reply.cookies);
  if (!('to' in reply)) return renderPage(response, reply);
  response.writeHead(303, { ...reply.headers, location: reply.to, 'content-length': 0 });
  response.end();
}

async function answerScript(
  parts: PeoplePageParts,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const path = (request.url ?? '').split('?', 1)[0]?.slice(AUTH_PATH.length) ?? '';
  const rule = Object.hasOwn(BY_SCRIPT, path) ? BY_SCRIPT[path] : undefined;
  if (!rule) throw fail('not_found');
  if (request.method !== rule.method)
    throw fail('method_not_allowed', { headers: { allow: rule.method } });
  const { id, address } = contextOf(request);
  const { headers } = request;
  if (rule.addsPasskey) await refuseUnconfirmed(parts, headers);
  const call = { path, method: rule.method, headers, address };
  const answer = await parts.people.ask(
    rule.method === 'GET'
      ? call
      : { ...call, body: await readOwn(request, parts.people.isOwnOrigin) },
  );
  const failure = failureOf(answer);
  if (failure) throw failure;
  const person = rule.change === undefined ? null : await parts.people.signedIn(headers);
  if (person && rule.change) await parts.people.mailSecurityChange(person, rule.change);
  const email = answer.body?.user?.email;
  const cookies = [...answer.cookies, ...(email ? [parts.people.deviceCookie(email)] : [])];
  // The session itself is in the cookie, where no script reads it.
  const data = rule.returnsData ? answer.body : { done: true };
  if (response.headersSent) return;
  response.setHeader('set-cookie', cookies);
  sendJson(response, 200, JSON.stringify({ data, meta: { request_id: id } }));
}

/** @throws Failure session_required, confirmation_required */
async function refuseUnconfirmed(
  { people, clock }: PeoplePageParts,
  headers: IncomingMessage['headers'],
) {
  const person = await people.signedIn(headers);
  if (!person) throw fail('session_required');
  if (!mayAddPasskey(person, clock.now()))
    throw fail('confirmation_required', {
      message: `Para agregar una llave de acceso escribe otra vez tu contraseña en ${SITE_PAGES.account.name}.`,
    });
}

async function sendFile(
  _parts: PeoplePageParts,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const load = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!load) throw fail('not_found');
  sendAsset(request, response, await load(), "default-src 'none'");
}
