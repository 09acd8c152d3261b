/** Agents as they are built: on the official clients, of the present and of the former kind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import * as now from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const SDK_VERSIONS = ['2.4', '1.32'] as const;
export type SdkVersion = (typeof SDK_VERSIONS)[number];

/** An agent that knows an address and nothing else. */
export interface SdkAgent {
  readonly redirectHost: string;
  readonly keeper: Keeper;
  connect(visit: Visit): Promise<void>;
  tools(): Promise<string[]>;
  /** What a tool answered. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  call(name: string, given?: object, visit?: Visit): Promise<any>;
}

/**
 * What a person does with the address that the agent opens for her, wherever its tokens do not
 * suffice.
 */
type Visit = (url: string) => Promise<unknown>;

/** What both clients have in common. */
interface SdkClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  callTool(params: { name: string; arguments: object }): Promise<{ structuredContent?: any }>;
  getPrompt(params: {
    name: string;
    arguments: object;
  }): Promise<{ messages: { content: { text: string } }[] }>;
}

interface Kit {
  /** @param options of its transport */
  open(url: URL, options: object): { client: SdkClient; transport: unknown };
  finish(transport: unknown, back: URLSearchParams): Promise<void>;
  readonly Unauthorized: new () => Error;
}

const CLIENT = { name: 'prueba', version: '1.0.0' };

const KITS: Readonly<Record<SdkVersion, Kit>> = {
  '2.4': {
    open: (url, options) => ({
      client: new now.Client(CLIENT, {
        versionNegotiation: { mode: 'auto' },
      }) as unknown as SdkClient,
      transport: new now.StreamableHTTPClientTransport(url, options),
    }),
    finish: (transport, back) => (transport as now.StreamableHTTPClientTransport).finishAuth(back),
    Unauthorized: now.UnauthorizedError as never,
  },
  '1.32': {
    open: (url, options) => ({
      client: new Client(CLIENT) as unknown as SdkClient,
      transport: new StreamableHTTPClientTransport(url, options),
    }),
    finish: (transport, back) =>
      (transport as StreamableHTTPClientTransport).finishAuth(back.get('code') ?? ''),
    Unauthorized: UnauthorizedError as never,
  },
};

/** An agent with a page for its answers on this machine; all of it ends with the test. */
export async function openSdkAgent(
  t: Pick<TestContext, 'after'>,
  version: SdkVersion,
  url: string,
): Promise<SdkAgent> {
  const { open, finish, Unauthorized } = KITS[version];
  const callback = await openCallback(t);
  const keeper = openKeeper(callback.url);
  let { client, transport } = open(new URL(url), { authProvider: keeper });
  t.after(() => client.close());

  /** A person is asked, the answer becomes tokens, and the agent connects with them. */
  async function meet(visit: Visit, reason: unknown): Promise<void> {
    if (!(reason instanceof Unauthorized)) throw reason;
    const asked = keeper.kept.url as URL;
    const [back] = await Promise.all([callback.next(), visit(asked.href)]);
    assert.equal(back.get('state'), asked.searchParams.get('state'));
    await finish(transport, back);
    await client.close();
    ({ client, transport } = open(new URL(url), { authProvider: keeper }));
    await client.connect(transport);
  }

  return {
    redirectHost: new URL(callback.url).host,
    keeper,
    connect: (visit) => client.connect(transport).catch((reason) => meet(visit, reason)),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, given = {}, visit = () => assert.fail('no person is there to agree')) {
      const ask = async () => (await client.callTool({ name, arguments: given })).structuredContent;
      return ask().catch(async (reason) => {
        await meet(visit, reason);
        return ask();
      });
    },
  };
}

/** A client whose person let it in before. */
export async function connectSdkClient(
  t: Pick<TestContext, 'after'>,
  version: SdkVersion,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<SdkClient> {
  const { client, transport } = KITS[version].open(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

/** What an agent remembers, in memory. */
interface Keeper {
  readonly kept: {
    url?: URL;
    client?: { client_id: string };
    tokens?: { access_token: string; refresh_token?: string; scope: string };
    verifier?: string;
    discovery?: object;
  };
  tokens(): NonNullable<Keeper['kept']['tokens']>;
}

export function openKeeper(redirectUrl: string): Keeper {
  const kept: Keeper['kept'] = {};
  const provider = {
    kept,
    redirectUrl,
    clientMetadata: {
      client_name: 'Agente con SDK',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string }) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens as NonNullable<Keeper['kept']['tokens']>,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url: URL) => void Object.assign(kept, { url }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
    state: () => crypto.randomUUID(),
    saveDiscoveryState: (discovery: object) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
  };
  return provider;
}

/** Where a browser brings the answer, on a port that the system picks. */
async function openCallback(t: Pick<TestContext, 'after'>) {
  const server = createServer((_request, response) => void response.end('Listo.')).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    url,
    next: () =>
      new Promise<URLSearchParams>((resolve) => {
        server.on('request', function hear({ url: target = '' }) {
          const { pathname, searchParams } = new URL(target, url);
          // A browser also asks for an icon.
          if (pathname !== '/callback') return;
          server.off('request', hear);
          resolve(searchParams);
        });
      }),
  };
}
