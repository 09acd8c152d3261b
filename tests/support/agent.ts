import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { type Front, openFront, type Surface } from '../../src/entrances/front.ts';
import { contextOf, sendJson } from '../../src/entrances/http.ts';
import { openAuthorizationServer } from '../../src/entrances/oauth/server.ts';
import { type AgentAccessCache, openAgentAccessCache } from '../../src/features/grants/index.ts';
import { effectiveTerms } from '../../src/features/organizations/index.ts';
import type { Role } from '../../src/features/people/index.ts';
import { openQuota } from '../../src/features/quota/index.ts';
import { readConfig } from '../../src/platform/config.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { fail } from '../../src/platform/failure.ts';
import { openNetwork } from '../../src/platform/network.ts';
import type { Keyring } from '../../src/platform/seal.ts';
import { openApp, type TestApp } from './app.ts';
import type { TurnedClock } from './clock.ts';
import { logInto } from './log.ts';

/**
 * The authorization server of an instance, with people of the test's own, and an endpoint that asks for
 * its tokens.
 */
export interface AgentStage {
  readonly at: TestApp;
  readonly url: string;
  readonly resource: string;
  readonly clock: TurnedClock;
  /** Everything that was logged, as text. */
  readonly logged: () => string;
  person(role?: Role, organizationId?: string): Promise<Person>;
  join(personId: string, organizationId: string, role: Role): Promise<void>;
  /** Status of a call with this token at the stand-in of the agent endpoint. */
  call(token: string): Promise<number>;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly browser: Browser;
}

interface StageOptions {
  readonly clientDocumentsAt?: string;
  /** An open instance to stand on. */
  readonly on?: TestApp;
  /** Whether its database is away now. */
  readonly isDown?: () => boolean;
  /** What it believes its address to be; default: where it is reached. */
  readonly publicUrl?: string;
  /** Another process of the same installation. */
  readonly beside?: AgentStage;
  /** Where several processes count. */
  readonly redisUrl?: string;
}

/** Who is signed in stands in a cookie, without more. */
const PERSON_COOKIE = 'persona';

export async function openAgentStage(
  t: Pick<TestContext, 'after'>,
  options: StageOptions = {},
): Promise<AgentStage> {
  const at = options.beside?.at ?? options.on ?? (await openApp(t));
  const { clock } = at;
  const { settings, secrets } = readConfig(at.env);
  const database = openDatabase({
    address: at.app.database.address,
    clock,
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  const notices = await openNotices(database, () => {});
  const network = openNetwork();
  const lines: string[] = [];
  const log = logInto(lines);
  const quota = await openQuota({
    clock,
    windowSeconds: 60,
    redisUrl: options.redisUrl ?? null,
    onError: () => {},
  });
  let url = '';
  const access = openAgentAccessCache(database, notices);
  const front: Front = await openFront({
    settings,
    clock,
    quota,
    charge: async () => {},
    log,
    surfaces: [
      ...openAuthorizationServer({
        people: {
          signedIn: async (headers) => personOf(at, headers),
          isOwnOrigin: (origin) => origin === new URL(url).origin,
        },
        database: options.isDown ? failing(database, options.isDown) : database,
        clock,
        log,
        keyring: secrets.keyring as Keyring,
        network,
        quota,
        publicUrl: () => url,
        mcpUrl: () => url,
        clientDocumentsAt: options.clientDocumentsAt ?? null,
      }),
      endpoint(access, clock, () => `${url}/mcp`),
    ],
  });
  const own = `http://localhost:${front.port}`;
  url = options.publicUrl ?? options.beside?.url ?? own;
  t.after(async () => {
    await front.close();
    await quota.close();
    await network.close();
    await notices.close();
    await database.close();
  });

  const sql = (text: string, values: unknown[] = []) =>
    at.app.database.write((handle) => handle.sql(text, values)) as Promise<
      Record<string, unknown>[]
    >;
  const join = async (personId: string, organizationId: string, role: Role) => {
    await sql(
      'insert into members (organization_id, person_id, role, created_at) values ($1, $2, $3, $4)',
      [organizationId, personId, role, clock.now().toString()],
    );
  };
  return {
    at,
    url: own,
    resource: `${url}/mcp`,
    clock,
    logged: () => lines.join('\n'),
    join,
    sql,
    async person(role = 'owner', organizationId = at.organization.id) {
      const [id, name] = [randomUUID(), 'Ana Ruiz'];
      await sql(
        `insert into people (id, name, email, email_verified, created_at, updated_at)
         values ($1, $2, $3, true, $4, $4)`,
        [id, name, `${id}@tienda.example`, clock.now().toString()],
      );
      await join(id, organizationId, role);
      return { id, name, browser: openBrowser(`${PERSON_COOKIE}=${id}`) };
    },
    call: async (token) =>
      (await fetch(`${own}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` } }))
        .status,
  };
}

function failing(database: Database, isDown: () => boolean): Database {
  const refuse = () =>
    Promise.reject(fail('service_unavailable', { headers: { 'retry-after': '1' } }));
  return {
    ...database,
    read: (work, options) => (isDown() ? refuse() : database.read(work, options)),
    write: (work) => (isDown() ? refuse() : database.write(work)),
  };
}

async function personOf(at: TestApp, headers: IncomingHttpHeaders) {
  const id = new RegExp(`${PERSON_COOKIE}=([0-9a-f-]{36})`).exec(headers.cookie ?? '')?.[1];
  if (!id) return null;
  const [row] = (await at.app.database.write((handle) =>
    handle.sql('select id, name, email from people where id = $1', [id]),
  )) as { id: string; name: string; email: string }[];
  return row ?? null;
}

function endpoint(access: AgentAccessCache, clock: TurnedClock, resource: () => string): Surface {
  const answer = async (authorization: string) => {
    const found = await access.find(authorization.replace(/^Bearer /, ''));
    if (!found || found.audience !== resource()) return { status: 401, body: {} };
    if (Temporal.Instant.compare(found.expiresAt, clock.now()) <= 0)
      return { status: 401, body: {} };
    return {
      status: effectiveTerms(found.organization).api ? 200 : 403,
      body: { scopes: found.scopes },
    };
  };
  return {
    prefix: '/mcp',
    handle(request, response) {
      answer(String(request.headers.authorization ?? '')).then(
        ({ status, body }) => sendJson(response, status, JSON.stringify(body)),
        () => sendJson(response, 500, JSON.stringify({ id: contextOf(request).id })),
      );
    },
  };
}

/** Keeps cookies by their path, and follows nothing by itself. */
export interface Browser {
  readonly cookies: Map<string, { value: string; path: string }>;
  get(url: string): Promise<Answer>;
  post(url: string, fields: [string, string][], headers?: Record<string, string>): Promise<Answer>;
  /** Another one with the same cookies now. */
  copy(cookies?: string): Browser;
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export function openBrowser(
  first = '',
  kept: Iterable<[string, { value: string; path: string }]> = [],
): Browser {
  const cookies = new Map(kept);
  if (first !== '')
    cookies.set(first.split('=')[0] as string, { value: first.split('=')[1] as string, path: '/' });

  async function send(url: string, init: RequestInit): Promise<Answer> {
    const { pathname } = new URL(url);
    const sent = [...cookies].filter(([, { path }]) => pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...init.headers, ...(cookie && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice(5) ?? '/';
      if (value === '' || line.includes('01 Jan 1970')) cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location:
        location === null
          ? null
          : location.startsWith('/')
            ? new URL(location, url).href
            : location,
      headers: response.headers,
      text: await response.text(),
    };
  }

  return {
    cookies,
    get: (url) => send(url, {}),
    post: (url, fields, headers = {}) =>
      send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(url).origin,
          ...headers,
        },
        body: new URLSearchParams(fields),
      }),
    copy: (other = '') => openBrowser(other, cookies),
  };
}

interface AgentOptions {
  readonly redirectUri?: string;
  readonly clientName?: string;
  readonly clientId?: string;
}

export interface Agent {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** Where it sends a browser; a parameter of null is left out. */
  authorizeUrl(parameters?: Record<string, string | null>): string;
  token(fields: Record<string, string>): Promise<JsonAnswer>;
  redeem(code: string, fields?: Record<string, string>): Promise<JsonAnswer>;
  refresh(token: string): Promise<JsonAnswer>;
  revoke(token: string): Promise<number>;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
}

const LOOPBACK = 'http://127.0.0.1:33418/callback';

export async function getJson(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Registers a client as agents do; what is answered may be a refusal. */
export function register(stage: Pick<AgentStage, 'url'>, metadata: object): Promise<JsonAnswer> {
  return getJson(`${stage.url}/oauth/registro`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
}

export async function openAgent(stage: AgentStage, options: AgentOptions = {}): Promise<Agent> {
  const redirectUri = options.redirectUri ?? LOOPBACK;
  const clientId = options.clientId ?? (await registered(stage, redirectUri, options.clientName));
  const verifier = randomBytes(32).toString('base64url');
  const post = async (path: string, fields: Record<string, string>): Promise<JsonAnswer> => {
    const response = await fetch(`${stage.url}/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, ...fields }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  return {
    clientId,
    redirectUri,
    verifier,
    authorizeUrl(parameters = {}) {
      const url = new URL(`${stage.url}/oauth/authorize`);
      const all = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: stage.resource,
        scope: 'orders:read inventory:read',
        state: 'el-estado',
        ...parameters,
      };
      for (const [name, value] of Object.entries(all))
        if (value !== null) url.searchParams.set(name, value);
      return url.href;
    },
    token: (fields) => post('token', fields),
    redeem: (code, fields = {}) =>
      post('token', {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        ...fields,
      }),
    refresh: (token) => post('token', { grant_type: 'refresh_token', refresh_token: token }),
    revoke: async (token) => (await post('revoke', { token })).status,
  };
}

async function registered(
  stage: AgentStage,
  redirectUri: string,
  name = 'Agente de prueba',
): Promise<string> {
  const { status, body } = await register(stage, {
    client_name: name,
    redirect_uris: [redirectUri],
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.client_id;
}

/** Follows our own redirects to the page of consent. */
export async function toConsent(
  browser: Browser,
  url: string,
): Promise<{ url: string; page: Answer }> {
  const begun = await browser.get(url);
  assert.equal(begun.status, 303, begun.text);
  const at = begun.location as string;
  return { url: at, page: await browser.get(at) };
}

/**
 * Ticks what is on the page, or what is given, and says yes; follows up to the agent's own address.
 */
export async function consent(
  browser: Browser,
  url: string,
  given: { scopes?: string[]; organization?: string; decision?: string } = {},
): Promise<URL> {
  const { url: at, page } = await toConsent(browser, url);
  const scopes =
    given.scopes ??
    [...page.text.matchAll(/name="permiso" value="([\w:]+)"/g)].map(([, one]) => one as string);
  const organization =
    given.organization ?? /name="organizacion" value="([\w-]+)"/.exec(page.text)?.[1] ?? '';
  const answered = await browser.post(at, [
    ['organizacion', organization],
    ['decision', given.decision ?? 'permitir'],
    ...scopes.map((scope): [string, string] => ['permiso', scope]),
  ]);
  assert.equal(answered.status, 303, answered.text);
  const resumed = await browser.get(answered.location as string);
  assert.equal(resumed.status, 303, resumed.text);
  return new URL(resumed.location as string);
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

/** The whole way: consent and tokens. */
export async function connectAgent(
  agent: Agent,
  person: Person,
  parameters: Record<string, string | null> = {},
): Promise<Tokens> {
  const back = await consent(person.browser, agent.authorizeUrl(parameters));
  const { status, body } = await agent.redeem(back.searchParams.get('code') as string);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
