import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { agentWords } from '../src/entrances/oauth/words.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { noRedis, openRedis } from './reliability/support/redis.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { type AgentStage, openAgentStage } from './support/agent.ts';
import { connectAgent, consent, openAgent, register, toConsent } from './support/agent-client.ts';

// How agents make themselves known: by registering, or by a document at their own address.

/** What RFC 6749 allows in a description. */
const ASCII = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const stage = await openAgentStage(WHOLE_FILE);

/** The redirect forms of agents in use, as they send them. */
for (const [who, metadata] of [
  [
    'Claude',
    {
      redirect_uris: [
        'https://claude.ai/api/mcp/auth_callback',
        'https://claude.com/api/mcp/auth_callback',
      ],
    },
  ],
  ['Claude Code', { redirect_uris: ['http://localhost:54545/callback'] }],
  ['Codex', { redirect_uris: ['http://127.0.0.1:1455/callback/abc'] }],
  [
    'VS Code',
    {
      redirect_uris: [
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      response_types: ['code'],
      application_type: 'native',
    },
  ],
  [
    'Cursor',
    {
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      application_type: 'web',
    },
  ],
  ['an extension of VS Code', { redirect_uris: ['vscode://saoudrizwan.claude-dev/callback'] }],
  ['an application with its own domain', { redirect_uris: ['com.example.agente:/oauth2redirect'] }],
  ['OpenCode', { redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'] }],
  [
    'Gemini CLI',
    {
      redirect_uris: ['http://localhost:7777/oauth/callback'],
      scope: 'openid orders:read',
      logo_uri: 'https://x.example/l.png',
    },
  ],
  [
    'ChatGPT',
    {
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
] as const) {
  test(`${who} registers, and goes through`, async () => {
    const [redirectUri] = metadata.redirect_uris;

    const { status, headers, body } = await register(stage, { client_name: who, ...metadata });
    const agent = await openAgent(stage, { clientId: body.client_id, redirectUri });
    const tokens = await connectAgent(agent, await stage.person());

    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(body.token_endpoint_auth_method, 'none');
    assert.equal(body.client_secret, undefined);
    assert.equal(body.logo_uri, undefined);
    assert.deepEqual(body.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(await stage.call(tokens.access_token), 200);
  });
}

for (const [what, redirect_uris] of [
  ['http elsewhere', ['http://evil.example/cb']],
  ['http at what only begins like the own machine', ['http://127.0.0.1.evil.example/cb']],
  ['http at another address of the own network', ['http://192.168.1.10/cb']],
  ['javascript', ['javascript:alert(1)']],
  ['javascript in capitals', ['JavaScript:alert(1)']],
  ['data', ['data:text/html,x']],
  ['file', ['file:///etc/passwd']],
  ['a scheme of Windows', ['ms-msdt:/id PCWDiagnostic']],
  ['another scheme of Windows', ['search-ms:query=x']],
  ['a scheme of Windows with a point', ['microsoft.windows.camera:']],
  ['a scheme of macOS with a point', ['x-apple.systempreferences:com.apple.preference']],
  ['what is inside of a blob', ['blob:https://agent.example/1']],
  ['mail', ['mailto:ana@tienda.example']],
  ['an unknown scheme', ['agente://oauth/callback']],
  ['a scheme that begins like a known one', ['cursor-x://anysphere.cursor-mcp/oauth/callback']],
  ['a fragment', ['https://agent.example/cb#here']],
  ['an empty fragment', ['https://agent.example/cb#']],
  ['a user', ['https://claude.ai@evil.example/cb']],
  ['a wildcard', ['https://*.example.com/cb']],
  ['a host that would end a header', ['https://evil;script-src.example/cb']],
  ['no address at all', ['callback']],
  ['an address that is no text', [7]],
  ['one good and one evil', ['https://claude.ai/cb', 'http://evil.example/cb']],
  ['none', []],
  ['nothing', undefined],
  ['a text', 'https://claude.ai/cb'],
  ['too many', Array.from({ length: 21 }, (_, index) => `https://agent.example/${index}`)],
  ['one too long', [`https://agent.example/${'x'.repeat(1_000)}`]],
] as const) {
  test(`a client cannot register as redirect: ${what}`, async () => {
    const { status, body } = await register(stage, { client_name: 'X', redirect_uris });

    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], JSON.stringify(body));
    assert.match(body.error_description, /^redirect_uris: /);
    assert.match(body.error_description, ASCII);
    freshWindow();
  });
}

test('a description that is none, asks for other flows or has a name without end is refused', async () => {
  const redirect_uris = ['https://agent.example/cb'];

  for (const [metadata, said] of [
    [{ redirect_uris, response_types: ['token'] }, 'response_types: solo se admite code'],
    [{ redirect_uris, client_name: 'x'.repeat(101) }, 'client_name: hasta 100 caracteres'],
    [{ redirect_uris, client_name: 7 }, 'client_name: debe ser un texto, o faltar'],
  ] as const) {
    const { status, body } = await register(stage, metadata);
    assert.deepEqual([status, body.error], [400, 'invalid_client_metadata'], JSON.stringify(body));
    assert.equal(body.error_description, said);
    assert.match(body.error_description, ASCII);
  }
  const both = ['http://127.0.0.1:3118/cb', 'https://localhost:3118/cb'];
  const { status, body: answer } = await register(stage, { redirect_uris: both });
  assert.deepEqual(
    [status, answer.error, answer.error_description],
    [400, 'invalid_redirect_uri', 'redirect_uris: en la misma computadora se usa http'],
  );
  for (const body of [
    '',
    '[]',
    '{',
    JSON.stringify({ redirect_uris, client_name: 'x'.repeat(70_000) }),
  ]) {
    const response = await fetch(`${stage.url}/oauth/registro`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(response.status, 400, body.slice(0, 20));
    const { error, error_description: said } = (await response.json()) as Record<string, string>;
    assert.equal(error, 'invalid_request');
    assert.match(said ?? '', /^Se espera la descripcion de la aplicacion: un objeto JSON/);
    assert.match(said ?? '', ASCII);
  }
});

test('a name keeps none of the characters that cannot be seen', async () => {
  const { body } = await register(stage, {
    client_name: ' Cla\u202eude\u0000\u3164\u2800 ',
    redirect_uris: ['https://agent.example/cb'],
  });

  assert.equal(body.client_name, 'Claude');
});

test('two processes count the registrations of an address together', {
  skip: noRedis,
}, async (t) => {
  const { url: redisUrl } = await openRedis(t);
  const first = await openAgentStage(t, { on: stage.at, redisUrl });
  const second = await openAgentStage(t, { beside: first, redisUrl });
  const redis = new Redis(redisUrl).on('error', () => {});
  t.after(() => redis.disconnect());
  await soon(async () => assert.equal(await redis.zcard('tianguis:processes'), 2));
  const one = (process: AgentStage) =>
    register(process, { redirect_uris: ['https://agent.example/cb'] });
  const each = await Promise.all(
    Array.from({ length: 32 }, () => [one(first), one(second)]).flat(),
  );

  const statuses = Map.groupBy(each, ({ status }) => status);

  assert.deepEqual([statuses.get(201)?.length, statuses.get(429)?.length], [60, 4]);
  assert.ok(Number(statuses.get(429)?.[0]?.headers.get('retry-after')) > 3_500);
});

test('an address registers 60 clients an hour at most', async () => {
  freshWindow();
  const one = () => register(stage, { redirect_uris: ['https://agent.example/cb'] });
  for (let count = 0; count < 60; count++) assert.equal((await one()).status, 201);

  const refused = await one();

  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '3600');
  assert.match(refused.body.error_description, /Demasiados registros/);
  assert.match(refused.body.error_description, ASCII);
  freshWindow();
  assert.equal((await one()).status, 201);
});

test('a client unused for 30 days is deleted; one that is used stays', async () => {
  const [used, unused] = [await openAgent(stage), await openAgent(stage)];
  const person = await stage.person();
  const known = async (clientId: string) =>
    (await stage.sql(`select 1 from oauth_records where model = 'Client' and id = $1`, [clientId]))
      .length === 1;

  stage.clock.advance({ hours: 24 * 20 });
  await connectAgent(used, person);
  stage.clock.advance({ hours: 24 * 11 });
  await housekeeping();

  assert.equal(await known(used.clientId), true);
  assert.equal(await known(unused.clientId), false);
  const answer = await person.browser.get(unused.authorizeUrl());
  assert.equal(answer.status, 400);
});

test('an agent is known by the document at its own address, whose host the page shows as verified', async (t) => {
  const documents = await serveDocuments(t, (path) => ({
    client_id: `https://agente.example${path}`,
    client_name: 'Agente con documento',
    redirect_uris: ['http://localhost:3118/callback'],
    token_endpoint_auth_method: 'none',
  }));
  const own = await openAgentStage(t, { on: stage.at, clientDocumentsAt: documents.url });
  const person = await own.person();
  const agent = await openAgent(own, {
    clientId: 'https://agente.example/oauth/cliente.json',
    redirectUri: 'http://localhost:3118/callback',
  });

  const { page } = await toConsent(person.browser, agent.authorizeUrl());
  const tokens = await connectAgent(agent, person);

  assert.match(
    page.text,
    /Agente con documento<\/strong>, de <strong>agente\.example<\/strong> \(verificado\)/,
  );
  assert.equal(await own.call(tokens.access_token), 200);
  assert.equal(documents.asked.length, 1, 'read once, then remembered');
  const [grant] = await own.sql(
    'select client_id, client_name from agent_grants where person_id = $1',
    [person.id],
  );
  assert.deepEqual(grant, { client_id: agent.clientId, client_name: 'Agente con documento' });
});

for (const [what, answer] of [
  ['names another client', { client_id: 'https://agente.example/other.json' }],
  ['wants its answer somewhere evil', { redirect_uris: ['http://evil.example/cb'] }],
  ['has a secret', { client_secret: 'x' }],
  ['is too large', { client_name: 'x'.repeat(6_000) }],
  ['sends elsewhere', null],
] as const) {
  test(`a document that ${what} makes no client`, async (t) => {
    const documents = await serveDocuments(
      t,
      (path) =>
        answer && {
          client_id: `https://agente.example${path}`,
          redirect_uris: ['http://localhost:3118/callback'],
          ...answer,
        },
    );
    const own = await openAgentStage(t, { on: stage.at, clientDocumentsAt: documents.url });
    const agent = await openAgent(own, {
      clientId: 'https://agente.example/c.json',
      redirectUri: 'http://localhost:3118/callback',
    });

    const refused = await (await own.person()).browser.get(agent.authorizeUrl());

    assert.equal(refused.status, 400);
    assert.equal(refused.location, null);
    // The library looks once more while it reports the error.
    assert.deepEqual([...new Set(documents.asked)], ['/c.json'], 'and nothing else was fetched');
  });
}

test('what is wrong with a document is said in Spanish to a program that asks for tokens', async (t) => {
  const given = new Map<string, unknown>();
  const documents = await serveDocuments(t, (path) => given.get(path) as object);
  const own = await openAgentStage(t, { on: stage.at, clientDocumentsAt: documents.url });
  const said = async (document: object, path = `/${given.size}.json`) => {
    const client_id = `https://agente.example${path}`;
    const usual = { client_id, redirect_uris: ['http://localhost:3118/callback'] };
    given.set(path, Array.isArray(document) ? document : { ...usual, ...document });
    const response = await fetch(`${own.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id }),
    });
    const { error, error_description } = (await response.json()) as Record<string, string>;
    assert.match(error_description ?? '', ASCII);
    return [error, error_description];
  };
  const metadata = (words: string) => ['invalid_client_metadata', words];

  assert.deepEqual(
    await said([]),
    metadata('El documento de la aplicacion debe ser un objeto JSON'),
  );
  assert.deepEqual(
    await said({ client_id: 'https://otro.example/c.json' }),
    metadata('client_id: el documento debe nombrar su propia direccion'),
  );
  assert.deepEqual(
    await said({ token_endpoint_auth_method: 'client_secret_post' }),
    metadata('token_endpoint_auth_method: debe ser none'),
  );
  assert.deepEqual(
    await said({ client_secret: 'x' }),
    metadata('client_secret: el documento no debe llevar un secreto'),
  );
  assert.deepEqual(
    await said({ client_uri: 'http://agente.example' }),
    metadata('client_uri: debe ser una direccion https'),
  );
  assert.deepEqual(
    await said({ client_name: 7 }),
    metadata('client_name: debe ser un texto, o faltar'),
  );
  const [code, words] = await said({ redirect_uris: ['http://evil.example/cb'] });
  assert.equal(code, 'invalid_redirect_uri');
  assert.match(words ?? '', /^redirect_uris: una de las direcciones debe usar https/);
});

test('what a later library might say against a description names the field, and is in Spanish', () => {
  assert.equal(
    agentWords('invalid_client_metadata', 'grant_types must be an array'),
    'grant_types: no es valido',
  );
  assert.equal(
    agentWords('invalid_client_metadata', 'could not do something'),
    'La descripcion de la aplicacion no es valida',
  );
  assert.equal(agentWords('invalid_client_metadata', 'client_name: hasta 100 caracteres'), null);
});

test('a client_id that points inward opens no connection', async (t) => {
  const person = await stage.person();
  const listeners = [await listen(t, 0)];
  // The one port that would be connected to; only root may listen there.
  const secure = await listen(t, 443).catch(() => null);
  if (secure) listeners.push(secure);
  else t.diagnostic('port 443 cannot be listened at here: only other ports are watched');
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '2130706433',
    'tienda.localhost',
  ];

  for (const port of [`:${listeners[0]?.port}`, '']) {
    for (const host of hosts) {
      const agent = await openAgent(stage, { clientId: `https://${host}${port}/c.json` });
      const refused = await person.browser.get(agent.authorizeUrl());
      assert.equal(refused.status, 400, `${host}${port}`);
      assert.equal(refused.location, null);
      freshWindow();
    }
  }

  assert.deepEqual(
    listeners.map(({ count }) => count()),
    listeners.map(() => 0),
  );
});

test('an address makes us read 30 documents a minute at most', async (t) => {
  const documents = await serveDocuments(t, () => null);
  const own = await openAgentStage(t, { on: stage.at, clientDocumentsAt: documents.url });
  const { browser } = await own.person();

  for (let count = 0; count < 40; count++) {
    const agent = await openAgent(own, { clientId: `https://agente.example/${count}.json` });
    assert.equal((await browser.get(agent.authorizeUrl())).status, 400);
  }

  assert.equal(documents.asked.length, 30);
});

test('consent to a registered client remembers where it is answered', async () => {
  const agent = await openAgent(stage, {
    redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
  });

  await consent((await stage.person()).browser, agent.authorizeUrl());

  const [grant] = await stage.sql('select redirect_host from agent_grants where client_id = $1', [
    agent.clientId,
  ]);
  assert.deepEqual(grant, { redirect_host: 'cursor:' });
});

/** Those of other tests are forgotten. */
function freshWindow(): void {
  stage.clock.advance({ hours: 1 });
}

async function housekeeping(): Promise<void> {
  await runHousekeeping(stage.at.app.exchange);
}

/** Serves one document for every path; null sends the reader elsewhere. */
async function serveDocuments(t: TestContext, documentAt: (path: string) => object | null) {
  const asked: string[] = [];
  const server = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.url ?? '');
    const document = documentAt(request.url ?? '');
    if (!document) return void response.writeHead(302, { location: '/elsewhere' }).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  const { port } = await opened(t, server, 0, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, asked };
}

async function listen(t: TestContext, port: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  // All addresses of this machine, of both kinds.
  return { ...(await opened(t, server, port, '::')), count: () => connections };
}

async function opened(t: TestContext, server: Server, port: number, host: string) {
  server.listen(port, host);
  await once(server, 'listening');
  t.after(() => void server.close());
  return { port: (server.address() as { port: number }).port };
}
