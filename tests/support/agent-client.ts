import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { AgentStage, Person } from './agent.ts';
import type { Answer, Browser } from './browser.ts';

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

type Where = Pick<AgentStage, 'url' | 'resource'>;

const LOOPBACK = 'http://127.0.0.1:33418/callback';

export async function getJson(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Registers a client as agents do; what is answered may be a refusal. */
export function register(stage: Pick<Where, 'url'>, metadata: object): Promise<JsonAnswer> {
  return getJson(`${stage.url}/oauth/registro`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
}

/** @param stage where the authorization server and the agent endpoint are */
export async function openAgent(stage: Where, options: AgentOptions = {}): Promise<Agent> {
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
  stage: Where,
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
