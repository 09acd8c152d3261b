import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { serverKeys } from '../../features/grants/index.ts';
import type { Quota, Spent } from '../../features/quota/index.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import {
  contextOf,
  type ErrorContext,
  noteFailure,
  sendFailure,
  sendJson,
  sentenceFor,
} from '../http.ts';
import { html, renderPage } from '../page.ts';
import type { Surface } from '../surface.ts';
import { answerAgentsPage } from './agents-page.ts';
import type { AddressLimits, AuthorizationParts, OAuthParts } from './authorization-parts.ts';
import { answerConsent } from './consent.ts';
import { buildProvider, CONSENT, ROUTES, SESSION_COOKIE } from './provider.ts';
import { resourceDocument } from './resource-document.ts';

interface Route {
  isAt(path: string): boolean;
  readonly methods: readonly string[];
  /** Failures are answered with a page to browsers, else with JSON. */
  readonly isPage?: true;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface KeptProvider {
  readonly provider: Provider;
  readonly handle: ReturnType<Provider['callback']>;
  /** Names of the keys that it was built with. */
  readonly keys: string;
}

const PREFIXES = [
  '/oauth/',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  SITE_PAGES.agents.path,
];
const READ_KEYS_EVERY_MS = 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The authorization server for agents: OAuth 2.1 with its pages, and the documents by which it is
 * found.
 */
export function openAuthorizationServer(given: OAuthParts): Surface[] {
  const parts = { ...given, limits: openAddressLimits(given.quota) };
  const routes = routesOf(parts, keepProvider(parts));
  return PREFIXES.map((prefix) => ({
    prefix,
    handle(request, response) {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      const route = routes.find((known) => known.isAt(path));
      setOwnAddress(parts, request);
      enter(route, request, response).catch((error) => {
        const failure = noteFailure(parts.log, request, error, 'authorization request failed');
        if (route?.isPage) sendFailurePage(response, failure, contextOf(request));
        else sendFailure(response, failure, contextOf(request));
      });
    },
  }));
}

/** The library takes its own address from these headers; a caller must not say what it is. */
function setOwnAddress({ publicUrl }: OAuthParts, { headers }: IncomingMessage): void {
  const { host, protocol } = new URL(publicUrl());
  Object.assign(headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) });
  delete headers['x-forwarded-host'];
}

async function enter(
  route: Route | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!route) throw fail('not_found');
  if (!route.methods.includes(request.method ?? ''))
    throw fail('method_not_allowed', { headers: { allow: route.methods.join(', ') } });
  await route.answer(request, response);
}

function routesOf(parts: AuthorizationParts, kept: () => Promise<KeptProvider>): Route[] {
  const library = async (request: IncomingMessage, response: ServerResponse) => {
    await (await kept()).handle(request, response);
  };
  return [
    {
      isAt: under(ROUTES.authorization, /^(\/[\w-]+)?$/),
      methods: ['GET'],
      isPage: true,
      async answer(request, response) {
        refuseOtherWays(request);
        // A resumed interaction was counted when it began.
        if (!request.url?.startsWith(`${ROUTES.authorization}/`))
          admit(await parts.limits.authorize(contextOf(request).address));
        // The library's own session is not used: each request reads the person's session.
        request.headers.cookie = withoutSession(request.headers.cookie ?? '');
        await library(request, response);
        // The address holds a secret of this browser, so only its path is logged.
        request.url = ROUTES.authorization;
      },
    },
    { isAt: exactly(ROUTES.token), methods: ['POST', 'OPTIONS'], answer: library },
    { isAt: exactly(ROUTES.revocation), methods: ['POST', 'OPTIONS'], answer: library },
    { isAt: exactly(ROUTES.jwks), methods: ['GET', 'OPTIONS'], answer: library },
    {
      isAt: exactly(ROUTES.registration),
      methods: ['POST', 'OPTIONS'],
      async answer(request, response) {
        openToBrowsers(response, 'POST');
        if (request.method === 'OPTIONS') return void response.writeHead(204).end();
        const spent = await parts.limits.register(contextOf(request).address);
        if (!spent.admitted) return refuseRegistration(response, spent);
        await library(request, response);
      },
    },
    {
      isAt: under('/.well-known/', /^(oauth-authorization-server|openid-configuration)$/),
      methods: ['GET', 'OPTIONS'],
      answer: library,
    },
    {
      isAt: under('/.well-known/oauth-protected-resource', /^(\/mcp)?$/),
      methods: ['GET', 'HEAD', 'OPTIONS'],
      async answer(request, response) {
        openToBrowsers(response, 'GET');
        if (request.method === 'OPTIONS') return void response.writeHead(204).end();
        sendJson(response, 200, JSON.stringify(resourceDocument(parts)));
      },
    },
    {
      isAt: under(CONSENT, /^[0-9a-f]+$/),
      methods: ['GET', 'POST'],
      isPage: true,
      answer: async (request, response) =>
        answerConsent(parts, (await kept()).provider, request, response),
    },
    {
      isAt: exactly(SITE_PAGES.agents.path),
      methods: ['GET', 'POST'],
      isPage: true,
      answer: (request, response) => answerAgentsPage(parts, request, response),
    },
  ];
}

function exactly(own: string): Route['isAt'] {
  return (path) => path === own;
}

/** @param rest what follows the start */
function under(start: string, rest: RegExp): Route['isAt'] {
  return (path) => path.startsWith(start) && rest.test(path.slice(start.length));
}

/** Built when first needed, and anew when the keys change; all who wait get the same one. */
function keepProvider(parts: AuthorizationParts): () => Promise<KeptProvider> {
  let current: KeptProvider | null = null;
  let building: Promise<KeptProvider> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  async function build(): Promise<KeptProvider> {
    const now = parts.clock.millis();
    const keys = await serverKeys(parts.database, parts.keyring, parts.clock);
    const names = keys.signing.map(({ kid }) => kid).join(' ');
    if (current?.keys !== names) {
      const provider = await buildProvider(parts, keys);
      current = { provider, handle: provider.callback(), keys: names };
    }
    readAt = now;
    return current;
  }

  return async () => {
    if (current && parts.clock.millis() - readAt < READ_KEYS_EVERY_MS) return current;
    building ??= build().finally(() => {
      building = null;
    });
    return building;
  };
}

function openAddressLimits(quota: Pick<Quota, 'counter'>): AddressLimits {
  const route = (name: string, limit: number, milliseconds: number) => {
    const counter = quota.counter(`oauth-${name}`, milliseconds);
    return async (address: string) => counter.spend(address, limit);
  };
  return {
    authorize: route('authorize', 120, MINUTE_MS),
    register: route('register', 60, HOUR_MS),
    documents: route('documents', 30, MINUTE_MS),
  };
}

function admit(spent: Spent): void {
  if (!spent.admitted)
    throw fail('too_many_requests', {
      message: 'Demasiadas solicitudes desde tu dirección. Espera un momento e intenta de nuevo.',
      headers: { 'retry-after': String(secondsLeft(spent)) },
    });
}

/** The library would answer with a page whose script we do not let run. */
function refuseOtherWays({ url }: IncomingMessage): void {
  const mode = new URL(url ?? '/', 'http://tianguis').searchParams.get('response_mode');
  if (mode !== null && mode !== 'query')
    throw fail('invalid_request', {
      message: 'La aplicación pide la respuesta de una forma que no se admite.',
    });
}

function refuseRegistration(response: ServerResponse, spent: Spent): void {
  const body = {
    error: 'temporarily_unavailable',
    error_description:
      'Demasiados registros desde tu red. Espera los segundos que indica Retry-After.',
  };
  sendJson(response, 429, JSON.stringify(body), { 'retry-after': String(secondsLeft(spent)) });
}

function secondsLeft({ millisecondsLeft }: Spent): number {
  return Math.max(1, Math.ceil(millisecondsLeft / 1000));
}

/** For agents that run in a browser; no cookie ever goes along. */
function openToBrowsers(response: ServerResponse, method: string): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', method);
  response.setHeader(
    'access-control-allow-headers',
    'content-type, authorization, mcp-protocol-version',
  );
  response.setHeader('access-control-max-age', '3600');
}

function withoutSession(cookies: string): string {
  return cookies
    .split(';')
    .filter(
      (cookie) =>
        !cookie
          .trim()
          .replace(/^__Host-/, '')
          .startsWith(SESSION_COOKIE),
    )
    .join(';');
}

function sendFailurePage(response: ServerResponse, failure: Failure, context: ErrorContext): void {
  renderPage(response, {
    title: 'No se pudo continuar',
    status: failure.status,
    headers: failure.headers,
    body: html`<p>${sentenceFor(failure, context)} (${context.id})</p>`,
  });
}
