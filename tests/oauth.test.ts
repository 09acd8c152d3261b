import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_WORDS } from '../src/entrances/oauth/words.ts';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { openAgentStage } from './support/agent.ts';
import {
  connectAgent,
  consent,
  getJson,
  type JsonAnswer,
  openAgent,
  toConsent,
} from './support/agent-client.ts';
import { openBrowser } from './support/browser.ts';

const stage = await openAgentStage(WHOLE_FILE);

test('a person lets an agent read, and the agent gets tokens for the agent endpoint alone', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];

  const back = await consent(person.browser, agent.authorizeUrl());
  const { status, headers, body } = await agent.redeem(codeOf(back));

  assert.equal(back.origin + back.pathname, 'http://127.0.0.1:33418/callback');
  assert.equal(back.searchParams.get('state'), 'el-estado');
  assert.equal(back.searchParams.get('iss'), stage.url);
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(body.token_type, 'Bearer');
  assert.equal(body.expires_in, 900);
  assert.equal(body.scope, 'orders:read inventory:read');
  assert.equal(body.id_token, undefined);
  assert.equal(await stage.call(body.access_token), 200);
});

test('a request without scope asks for all that there is, one without resource for the agent endpoint', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];

  const tokens = await connectAgent(agent, person, { scope: null, resource: null });

  assert.equal(
    tokens.scope,
    'orders:read sales:read inventory:read cfdi:read balances:read shipments:read',
  );
  assert.equal(await stage.call(tokens.access_token), 200);
});

test('what was unticked is not given', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];

  const back = await consent(person.browser, agent.authorizeUrl(), { scopes: ['inventory:read'] });
  const { body } = await agent.redeem(codeOf(back));

  assert.equal(body.scope, 'inventory:read');
  const wider = await agent.token({
    grant_type: 'refresh_token',
    refresh_token: body.refresh_token,
    scope: 'orders:read',
  });
  refused(wider, 400, 'invalid_scope');
});

for (const [what, parameters, error] of [
  ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  [
    'with plain PKCE',
    { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
    'invalid_request',
  ],
  ['with PKCE of no stated method', { code_challenge_method: null }, 'invalid_request'],
  ['for a foreign resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ['for tokens in the address', { response_type: 'token' }, 'unsupported_response_type'],
  ['that must not ask anybody', { prompt: 'none' }, 'login_required'],
] as const) {
  test(`a request ${what} goes back with ${error}, and no call is made`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage)];

    const answer = await person.browser.get(agent.authorizeUrl(parameters));

    assert.equal(answer.status, 303);
    const back = new URL(answer.location as string);
    assert.equal(back.host, '127.0.0.1:33418');
    const said = new URLSearchParams(back.search || back.hash.slice(1));
    assert.equal(said.get('error'), error);
    assert.equal(said.get('code'), null);
    assert.equal(said.get('iss'), stage.url);
  });
}

for (const [what, parameters, error] of [
  [
    'an address that was not registered',
    { redirect_uri: 'https://evil.example/cb' },
    'invalid_redirect_uri',
  ],
  [
    'another path on the own machine',
    { redirect_uri: 'http://127.0.0.1:33418/x' },
    'invalid_redirect_uri',
  ],
  [
    'another name of the own machine',
    { redirect_uri: 'http://localhost:33418/callback' },
    'invalid_redirect_uri',
  ],
  ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ['a client that cannot be', { client_id: 'a\0b' }, 'invalid_client'],
] as const) {
  test(`${what} is shown to the person, and nothing is sent there`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage)];

    const answer = await person.browser.get(agent.authorizeUrl(parameters));

    assert.equal(answer.status, 400);
    assert.equal(answer.location, null);
    assert.match(answer.text, /<html lang="es-MX">[\s\S]*No se puede conectar el agente/);
    assert.ok(answer.text.includes(error), answer.text);
    assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  });
}

test('the texts that an agent may show are in Spanish, without accents, as the standard requires', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { refresh_token } = await connectAgent(agent, person);
  const back = new URL(
    (await person.browser.get(agent.authorizeUrl({ prompt: 'none' }))).location as string,
  );

  const said = [
    (await agent.refresh('x'.repeat(43))).body,
    (await agent.token({ grant_type: 'password' })).body,
    (await agent.token({ grant_type: 'refresh_token', refresh_token, scope: 'balances:read' }))
      .body,
    (await agent.token({ grant_type: 'refresh_token', refresh_token, client_id: 'nadie' })).body,
    Object.fromEntries(back.searchParams),
  ];

  assert.deepEqual(
    said.map(({ error, error_description }) => [error, error_description]),
    [
      [
        'invalid_grant',
        'Este permiso ya no vale, o no es de esta aplicacion. Conecta de nuevo el agente.',
      ],
      ['unsupported_grant_type', 'Los tokens no se piden de esa forma.'],
      ['invalid_scope', 'Se pide un permiso que no existe o que la persona no dio.'],
      ['invalid_client', 'Tianguis no conoce esta aplicacion. Conecta de nuevo el agente.'],
      ['login_required', 'Hace falta que la persona responda en su navegador.'],
    ],
  );
  assert.equal(back.searchParams.get('state'), 'el-estado');
  for (const words of Object.values(AGENT_WORDS))
    assert.match(words ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
});

test('a program on the own machine may choose its port', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const redirect = { redirect_uri: 'http://127.0.0.1:51000/callback' };

  const back = await consent(person.browser, agent.authorizeUrl(redirect));
  const { status } = await agent.redeem(codeOf(back), redirect);

  assert.equal(back.port, '51000');
  assert.equal(status, 200);
});

test('a code is worth nothing with another verifier, another address or for another agent', async () => {
  const [person, agent, other] = [
    await stage.person(),
    await openAgent(stage),
    await openAgent(stage),
  ];
  const code = codeOf(await consent(person.browser, agent.authorizeUrl()));

  refused(await agent.redeem(code, { code_verifier: 'y'.repeat(43) }), 400, 'invalid_grant');
  refused(
    await agent.redeem(code, { redirect_uri: 'http://127.0.0.1:1/callback' }),
    400,
    'invalid_grant',
  );
  refused(await other.redeem(code, { code_verifier: agent.verifier }), 400, 'invalid_grant');
  refused(
    await agent.redeem(code, { resource: 'https://evil.example/mcp' }),
    400,
    'invalid_target',
  );
});

test('a code is good for a minute', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const [late, intime] = [
    codeOf(await consent(person.browser, agent.authorizeUrl())),
    codeOf(await consent(person.browser, agent.authorizeUrl())),
  ];

  stage.clock.advance({ seconds: 55 });
  assert.equal((await agent.redeem(intime)).status, 200);
  stage.clock.advance({ seconds: 10 });
  refused(await agent.redeem(late), 400, 'invalid_grant');
});

test('a code that comes twice ends what it brought', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const code = codeOf(await consent(person.browser, agent.authorizeUrl()));
  const { body } = await agent.redeem(code);
  assert.equal(await stage.call(body.access_token), 200);

  refused(await agent.redeem(code), 400, 'invalid_grant');

  await soon(async () => assert.equal(await stage.call(body.access_token), 401));
  refused(await agent.refresh(body.refresh_token), 400, 'invalid_grant');
});

test('of a code that comes several times at once nothing is left', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const code = codeOf(await consent(person.browser, agent.authorizeUrl()));

  const answers = await Promise.all([1, 2, 3, 4].map(() => agent.redeem(code)));

  const won = answers.filter(({ status }) => status === 200);
  assert.ok(won.length <= 1, `${won.length} got tokens`);
  for (const { body } of won)
    await soon(async () => assert.equal(await stage.call(body.access_token), 401));
});

test('a refresh token works once; a second use ends the whole family', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const first = await connectAgent(agent, person);

  const { status, body: second } = await agent.refresh(first.refresh_token);
  assert.equal(status, 200);
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.equal(await stage.call(second.access_token), 200);
  refused(await agent.refresh(first.refresh_token), 400, 'invalid_grant');

  await soon(async () => assert.equal(await stage.call(second.access_token), 401));
  assert.equal(await stage.call(first.access_token), 401);
  refused(await agent.refresh(second.refresh_token), 400, 'invalid_grant');
});

test('a refresh token is of no use to another agent', async () => {
  const [person, agent, other] = [
    await stage.person(),
    await openAgent(stage),
    await openAgent(stage),
  ];
  const { refresh_token } = await connectAgent(agent, person);

  refused(await other.refresh(refresh_token), 400, 'invalid_grant');

  assert.equal((await agent.refresh(refresh_token)).status, 200);
});

test('an access token lasts 15 minutes, a refresh token 30 days, and what was agreed 90', async () => {
  const [person, agent, idle] = [
    await stage.person(),
    await openAgent(stage),
    await openAgent(stage),
  ];
  let tokens = await connectAgent(agent, person);
  const unused = await connectAgent(idle, person);

  stage.clock.advance({ minutes: 16 });
  assert.equal(await stage.call(tokens.access_token), 401);
  for (const days of [29, 29, 29]) {
    stage.clock.advance({ hours: 24 * days });
    const { status, body } = await agent.refresh(tokens.refresh_token);
    assert.equal(status, 200);
    assert.equal(await stage.call(body.access_token), 200);
    tokens = body;
  }
  refused(await idle.refresh(unused.refresh_token), 400, 'invalid_grant');
  stage.clock.advance({ hours: 24 * 4 });
  refused(await agent.refresh(tokens.refresh_token), 400, 'invalid_grant');
});

for (const which of ['access_token', 'refresh_token'] as const) {
  test(`revoking the ${which} ends all of it at once`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage)];
    const tokens = await connectAgent(agent, person);
    assert.equal(await stage.call(tokens.access_token), 200);

    assert.equal(await agent.revoke(tokens[which]), 200);

    await soon(async () => assert.equal(await stage.call(tokens.access_token), 401));
    refused(await agent.refresh(tokens.refresh_token), 400, 'invalid_grant');
  });
}

test('a client revokes only its own tokens', async () => {
  const [person, agent, other] = [
    await stage.person(),
    await openAgent(stage),
    await openAgent(stage),
  ];
  const tokens = await connectAgent(agent, person);

  assert.equal(await other.revoke(tokens.refresh_token), 200);

  assert.equal(await stage.call(tokens.access_token), 200);
  assert.equal((await agent.refresh(tokens.refresh_token)).status, 200);
});

test('a person who is not signed in signs in, and comes back to the same request', async () => {
  const agent = await openAgent(stage);
  const browser = openBrowser();

  const { url, page } = await toConsent(browser, agent.authorizeUrl());

  assert.equal(page.status, 303);
  const entrance = new URL(page.location as string);
  assert.equal(entrance.pathname, '/entrar');
  const back = entrance.searchParams.get('volver');
  assert.equal(back, new URL(url).pathname);
  const person = await stage.person();
  const signedIn = browser.copy(`persona=${person.id}`);
  assert.match((await signedIn.get(url)).text, /Agente de prueba pide leer tus datos/);
});

test('the page says who asks, where the answer goes and what may be read', async () => {
  const person = await stage.person();
  const agent = await openAgent(stage, {
    clientName: 'Claude <script>alert(1)</script>',
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
  });

  const { page } = await toConsent(person.browser, agent.authorizeUrl());

  assert.equal(page.status, 200);
  assert.ok(!page.text.includes('<script'), 'its name is text');
  assert.ok(page.text.includes('Claude &#60;script&#62;alert(1)&#60;/script&#62;'));
  assert.match(page.text, /No pudimos verificar su identidad/);
  assert.match(page.text, /<strong>claude\.ai<\/strong>/);
  assert.match(page.text, /Órdenes: qué se vendió/);
  assert.match(page.text, /Inventario: existencias/);
  assert.doesNotMatch(page.text, /Saldos/);
  assert.doesNotMatch(page.text, /Cuidado/);
  assert.match(page.text, /Tienda de prueba/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.equal(page.headers.get('referrer-policy'), 'same-origin');
});

for (const [redirectUri, warning, target] of [
  ['https://claude.ai/api/mcp/auth_callback', null, "'self' https://claude.ai"],
  ['http://127.0.0.1:33418/callback', /esta misma computadora/, "'self' http://127.0.0.1:33418"],
  ['http://[::1]:7777/cb', /esta misma computadora/, "'self' http:"],
  ['cursor://anysphere.cursor-mcp/oauth/callback', /aplicación instalada/, "'self' cursor:"],
] as const) {
  test(`the page lets its form end at ${redirectUri}${warning ? ', and warns' : ''}`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage, { redirectUri })];

    const { page } = await toConsent(person.browser, agent.authorizeUrl());
    const back = await consent(person.browser, agent.authorizeUrl());

    const policy = page.headers.get('content-security-policy') ?? '';
    assert.ok(policy.endsWith(`form-action ${target}`), policy);
    assert.match(policy, /frame-ancestors 'none'/);
    if (warning) assert.match(page.text, warning);
    else assert.doesNotMatch(page.text, /Cuidado/);
    assert.ok(back.href.startsWith(redirectUri), back.href);
  });
}

test('«Cancelar» gives the agent access_denied', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];

  const back = await consent(person.browser, agent.authorizeUrl(), { decision: 'cancelar' });

  assert.equal(back.searchParams.get('error'), 'access_denied');
  assert.equal(back.searchParams.get('code'), null);
  assert.equal(back.searchParams.get('state'), 'el-estado');
});

test('a plan without API is shown on the page, nothing can be agreed to, and the agent gets access_denied', async () => {
  const poor = await openShop(stage.at, 'basico');
  const person = await stage.person('owner', poor.organization.id);
  const agent = await openAgent(stage);

  const { url, page } = await toConsent(person.browser, agent.authorizeUrl());
  const insisting = await person.browser.post(url, answerOf(poor.organization.id, ['orders:read']));
  const back = await consent(person.browser, agent.authorizeUrl(), { decision: 'cancelar' });

  assert.match(
    page.text,
    /Tu plan Básico no incluye la API.*, pide ayuda a quien administra este servicio de Tianguis; después conéctalo/,
  );
  assert.match(page.text, /<footer><a href="\/privacidad">Aviso de privacidad/);
  assert.doesNotMatch(page.text, /value="permitir"/);
  assert.equal(insisting.status, 403);
  assert.equal(back.searchParams.get('error'), 'access_denied');
});

test('a member of several organisations chooses one, and the agent reads that one', async () => {
  const person = await stage.person('owner');
  const other = await openShop(stage.at);
  await stage.join(person.id, other.organization.id, 'warehouse');
  const agent = await openAgent(stage);
  const { url, page } = await toConsent(person.browser, agent.authorizeUrl({ scope: null }));
  assert.match(page.text, /¿De qué organización puede leer\?/);

  const chosen = await person.browser.get(`${url}?organizacion=${other.organization.id}`);
  const answered = await person.browser.post(url, answerOf(other.organization.id, ['orders:read']));
  const back = await person.browser.get(answered.location as string);
  const { body } = await agent.redeem(codeOf(new URL(back.location as string)));

  assert.match(chosen.text, /tu rol \(Almacén\) no te deja dar/);
  const [grant] = await stage.sql(
    'select organization_id, scopes from agent_grants where client_id = $1',
    [agent.clientId],
  );
  assert.deepEqual(grant, { organization_id: other.organization.id, scopes: ['orders:read'] });
  assert.equal(await stage.call(body.access_token), 200);
});

test('an agent that asks for more goes on at the organisation that it reads; another one can be chosen', async () => {
  const person = await stage.person('owner');
  const other = await openShop(stage.at);
  await stage.join(person.id, other.organization.id, 'owner');
  const agent = await openAgent(stage);
  const stranger = await openAgent(stage);
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const answered = await person.browser.post(url, answerOf(other.organization.id, ['orders:read']));
  await person.browser.get(answered.location as string);

  const again = await toConsent(person.browser, agent.authorizeUrl());
  const anew = await person.browser.get(`${again.url}?organizacion=`);
  const first = await toConsent(person.browser, stranger.authorizeUrl());

  assert.match(
    again.page.text,
    new RegExp(`name="organizacion" value="${other.organization.id}">\\s*<fieldset>`),
  );
  assert.match(again.page.text, /href="\?organizacion=">Elegir otra/);
  for (const { text } of [anew, first.page])
    assert.match(text, /¿De qué organización puede leer\?/);
});

test('a consent cannot give scopes not requested, not allowed by the role, or of another organisation', async () => {
  const [keeper, stranger] = [await stage.person('warehouse'), await openShop(stage.at)];
  const agent = await openAgent(stage);
  const begun = async () => (await toConsent(keeper.browser, agent.authorizeUrl())).url;
  const own = stage.at.organization.id;

  for (const [organization, scopes, status] of [
    [own, ['shipments:read'], 400],
    [own, ['orders:write'], 400],
    [own, ['orders:read', 'orders:read; balances:read'], 400],
    [stranger.organization.id, ['orders:read'], 400],
    ['', ['orders:read'], 400],
    [own, [], 400],
  ] as const) {
    const answer = await keeper.browser.post(await begun(), answerOf(organization, [...scopes]));
    assert.equal(answer.status, status, `${scopes}: ${answer.text}`);
    assert.equal(answer.location, null);
  }
  const { url } = await toConsent(keeper.browser, agent.authorizeUrl({ scope: 'balances:read' }));
  const beyond = await keeper.browser.post(url, answerOf(own, ['balances:read']));
  assert.equal(beyond.status, 403);
  assert.match(beyond.text, /Tu rol/);
  assert.deepEqual(
    await stage.sql('select 1 from agent_grants where client_id = $1', [agent.clientId]),
    [],
  );
});

test('only the person who saw the page may answer it', async () => {
  const [person, other, agent] = [
    await stage.person(),
    await stage.person(),
    await openAgent(stage),
  ];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const answer = answerOf(stage.at.organization.id, ['orders:read']);

  const byOther = await person.browser.copy(`persona=${other.id}`).post(url, answer);
  const byNobody = await person.browser.copy('persona=nadie').post(url, answer);

  assert.equal(byOther.status, 400);
  assert.match(byOther.text, /Entraste con otra cuenta/);
  assert.equal(byNobody.status, 303);
  assert.match(byNobody.location ?? '', /\/entrar\?/);
});

test('a person who signs in after another person in the same browser agrees for themselves', async () => {
  const [first, second, agent] = [
    await stage.person(),
    await stage.person(),
    await openAgent(stage),
  ];
  await connectAgent(agent, first);
  const browser = first.browser.copy(`persona=${second.id}`);

  const back = await consent(browser, agent.authorizeUrl());
  const { status } = await agent.redeem(codeOf(back));

  assert.equal(status, 200);
  assert.deepEqual(
    await stage.sql(
      'select person_id from agent_grants where client_id = $1 order by created_at, person_id = $2',
      [agent.clientId, second.id],
    ),
    [{ person_id: first.id }, { person_id: second.id }],
  );
});

test('an answer from another browser, with an altered cookie or for another request is refused', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const answer = answerOf(stage.at.organization.id, ['orders:read']);
  const elsewhere = openBrowser(`persona=${person.id}`);
  const altered = person.browser.copy();
  const cookie = altered.cookies.get('tianguis_permiso');
  assert.ok(cookie);
  altered.cookies.set('tianguis_permiso', { ...cookie, value: `${cookie.value.slice(0, -2)}xx` });
  const unsigned = person.browser.copy();
  unsigned.cookies.delete('tianguis_permiso.sig');

  for (const browser of [elsewhere, altered, unsigned]) {
    const refusal = await browser.post(url, answer);
    assert.equal(refusal.status, 400);
    assert.match(refusal.text, /venció o es de otro navegador/);
  }
  const second = await toConsent(person.browser, agent.authorizeUrl());
  const crossed = person.browser.copy();
  for (const [name, kept] of crossed.cookies) crossed.cookies.set(name, { ...kept, path: '/' });
  assert.notEqual(second.url, url);
  assert.equal((await crossed.post(url, answer)).status, 400);
});

test('a form that was not sent by our own page is refused', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const answer = answerOf(stage.at.organization.id, ['orders:read']);

  for (const origin of ['https://evil.example', 'null', '']) {
    const refusal = await person.browser.post(url, answer, { origin });
    assert.equal(refusal.status, 403, origin);
    assert.match(refusal.text, /no aceptamos solicitudes desde otros sitios/);
  }
});

test('a request without a decision is over after ten minutes', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());

  stage.clock.advance({ minutes: 11 });

  const late = await person.browser.post(url, answerOf(stage.at.organization.id, ['orders:read']));
  assert.equal(late.status, 400);
  assert.match(late.text, /venció/);
});

test('a member who leaves takes their consents along', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const tokens = await connectAgent(agent, person);
  assert.equal(await stage.call(tokens.access_token), 200);

  await stage.sql('delete from members where person_id = $1', [person.id]);
  await stage.sql(`select pg_notify('access', $1)`, [stage.at.organization.id]);

  await soon(async () => assert.equal(await stage.call(tokens.access_token), 401));
  refused(await agent.refresh(tokens.refresh_token), 400, 'invalid_grant');
});

test('a member who left the organisation and came back agrees anew', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const tokens = await connectAgent(agent, person);
  await stage.sql('delete from members where person_id = $1', [person.id]);
  stage.clock.advance({ seconds: 60 });

  await stage.join(person.id, stage.at.organization.id, 'member');
  await stage.sql(`select pg_notify('access', $1)`, [stage.at.organization.id]);

  await soon(async () => assert.equal(await stage.call(tokens.access_token), 401));
  refused(await agent.refresh(tokens.refresh_token), 400, 'invalid_grant');
  const page = await person.browser.get(`${stage.url}/cuenta/agentes`);
  assert.match(page.text, /No hay agentes conectados/);
});

test('a person whose role becomes smaller takes back what it no longer allows', async () => {
  const [person, agent] = [await stage.person('member'), await openAgent(stage)];
  const tokens = await connectAgent(agent, person, { scope: 'orders:read balances:read' });
  const scopes = async () =>
    (
      await getJson(stage.resource, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
    ).body.scopes;
  assert.deepEqual(await scopes(), ['orders:read', 'balances:read']);

  await stage.sql(`update members set role = 'warehouse' where person_id = $1`, [person.id]);
  await stage.sql(`select pg_notify('access', $1)`, [stage.at.organization.id]);

  await soon(async () => assert.deepEqual(await scopes(), ['orders:read']));
});

test('an answer is requested in the address or not at all', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];

  for (const response_mode of ['form_post', 'fragment', 'web_message']) {
    const answer = await person.browser.get(agent.authorizeUrl({ response_mode }));
    assert.equal(answer.status, 400);
    assert.equal(answer.location, null);
  }
});

test('there is one way to tokens: no passwords, no client credentials, no introspection', async () => {
  const agent = await openAgent(stage);

  for (const grant_type of ['client_credentials', 'password', 'implicit'])
    refused(
      await agent.token({ grant_type, username: 'x', password: 'y' }),
      400,
      'unsupported_grant_type',
    );
  for (const path of [
    '/oauth/introspect',
    '/oauth/token/introspection',
    '/oauth/me',
    '/oauth/request',
    '/me',
  ])
    assert.equal((await fetch(`${stage.url}${path}`)).status, 404, path);
  assert.equal((await fetch(`${stage.url}/oauth/token`)).status, 405);
});

test('the metadata documents describe the endpoints', async () => {
  const at = async (path: string) => (await getJson(`${stage.url}/.well-known/${path}`)).body;

  const server = await at('oauth-authorization-server');
  const expected = {
    issuer: stage.url,
    authorization_endpoint: `${stage.url}/oauth/authorize`,
    token_endpoint: `${stage.url}/oauth/token`,
    registration_endpoint: `${stage.url}/oauth/registro`,
    revocation_endpoint: `${stage.url}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(server[name], value, name);
  assert.equal(server.introspection_endpoint, undefined);
  assert.deepEqual(await at('openid-configuration'), server);
  for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp']) {
    const document = await at(path);
    assert.equal(document.resource, stage.resource);
    assert.deepEqual(document.authorization_servers, [stage.url]);
    assert.ok(!document.scopes_supported.includes('offline_access'));
  }
  const { keys } = (await getJson(`${stage.url}/oauth/jwks`)).body;
  assert.ok(keys.length > 0 && keys.every((key: object) => !('d' in key)), 'no private part');
});

test('the documents name our own address, whatever a caller says it is', async () => {
  const { body } = await getJson(`${stage.url}/.well-known/oauth-authorization-server`, {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  });

  assert.equal(body.token_endpoint, `${stage.url}/oauth/token`);
});

test('agents in browsers may read the documents, register and fetch tokens, without cookies', async () => {
  for (const [path, method] of [
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/oauth-protected-resource/mcp', 'GET'],
    ['/oauth/registro', 'POST'],
    ['/oauth/token', 'POST'],
    ['/oauth/revoke', 'POST'],
  ] as const) {
    const { status, headers } = await fetch(`${stage.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    assert.equal(status, 204, path);
    assert.ok(
      ['*', 'https://inspector.example'].includes(headers.get('access-control-allow-origin') ?? ''),
      path,
    );
    assert.match(headers.get('access-control-allow-headers') ?? '', /mcp-protocol-version/, path);
    assert.equal(headers.get('access-control-allow-credentials'), null, path);
  }
});

test('every answer has an id and the headers of the quota', async () => {
  for (const path of [
    '/oauth/authorize',
    '/oauth/none',
    '/.well-known/oauth-authorization-server',
    '/cuenta/agentes',
  ]) {
    const { headers } = await fetch(`${stage.url}${path}`, { redirect: 'manual' });
    assert.match(headers.get('x-request-id') ?? '', /^req_/, path);
    assert.equal(headers.get('x-ratelimit-limit'), '60', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
});

test('while the database is away the answer is 503, and nothing is lost by it', async (t) => {
  let isDown = false;
  const own = await openAgentStage(t, { on: stage.at, isDown: () => isDown });
  const [person, agent] = [await own.person(), await openAgent(own)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());

  isDown = true;
  const tokens = await agent.token({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(43) });
  const pages = [await person.browser.get(agent.authorizeUrl()), await person.browser.get(url)];
  isDown = false;
  const after = await person.browser.get(url);

  refused(tokens, 503, 'server_error');
  assert.equal(tokens.headers.get('retry-after'), '1');
  for (const page of pages) assert.deepEqual([page.status, page.location], [503, null]);
  assert.equal(after.status, 200);
});

test('behind a proxy with https, addresses and cookies are those of https', async (t) => {
  const publicUrl = 'https://tianguis.example';
  const secure = await openAgentStage(t, { on: stage.at, publicUrl });
  const [person, agent] = [await secure.person(), await openAgent(secure)];

  const begun = await person.browser.get(agent.authorizeUrl());
  const at = (begun.location as string).replace(publicUrl, secure.url);
  const page = await person.browser.get(at);
  const answer = answerOf(stage.at.organization.id, ['orders:read']);
  const answered = await person.browser.post(at, answer, { origin: publicUrl });
  const back = await person.browser.get(
    (answered.location as string).replace(publicUrl, secure.url),
  );
  const { body } = await getJson(`${secure.url}/.well-known/oauth-authorization-server`);

  const cookies = [...begun.headers.getSetCookie(), ...back.headers.getSetCookie()];
  const given = cookies.filter((cookie) => !cookie.includes('01 Jan 1970'));
  assert.deepEqual(
    given.map((cookie) => cookie.split('=')[0]),
    ['__Secure-tianguis_permiso', '__Secure-tianguis_vuelta', '__Host-tianguis_oauth'].flatMap(
      (name) => [name, `${name}.sig`],
    ),
  );
  for (const cookie of given) {
    for (const flag of ['secure', 'httponly', 'samesite=lax'])
      assert.ok(cookie.includes(`; ${flag}`), cookie);
    assert.doesNotMatch(cookie, /; domain=/i);
    if (cookie.startsWith('__Host-')) assert.match(cookie, /; path=\/;/);
  }
  assert.equal(page.status, 200);
  assert.equal(answered.status, 303);
  assert.ok(
    answered.location?.startsWith(`${publicUrl}/oauth/authorize/`),
    answered.location ?? '',
  );
  assert.equal(body.token_endpoint, `${publicUrl}/oauth/token`);
});

test('secrets are neither in the database nor in the log', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url, page } = await toConsent(person.browser, agent.authorizeUrl());
  assert.equal(page.status, 200);
  const waiting = [...person.browser.cookies]
    .filter(([name]) => name.startsWith('tianguis'))
    .map(([, { value }]) => value);
  const rows = async () => JSON.stringify(await stage.sql('select * from oauth_records'));
  const before = await rows();

  const answered = await person.browser.post(
    url,
    answerOf(stage.at.organization.id, ['orders:read']),
  );
  const back = new URL((await person.browser.get(answered.location as string)).location as string);
  const code = codeOf(back);
  const { body } = await agent.redeem(code);
  const { body: next } = await agent.refresh(body.refresh_token);
  const after = await rows();
  const session = person.browser.cookies.get('tianguis_oauth')?.value;

  const secrets = [
    ...waiting,
    code,
    body.access_token,
    body.refresh_token,
    next.access_token,
    next.refresh_token,
    session,
  ];
  for (const secret of secrets) {
    assert.ok(secret && secret.length > 20);
    for (const [place, text] of [
      ['database', before],
      ['database', after],
      ['log', stage.logged()],
    ] as const)
      assert.ok(!text.includes(secret), `in the ${place}: ${secret}`);
  }
});

function codeOf(back: URL): string {
  const code = back.searchParams.get('code');
  assert.ok(code, back.href);
  return code;
}

function answerOf(organizationId: string, scopes: string[]): [string, string][] {
  return [
    ['organizacion', organizationId],
    ['decision', 'permitir'],
    ...scopes.map((scope): [string, string] => ['permiso', scope]),
  ];
}

function refused({ status, body }: JsonAnswer, expected: number, error: string): void {
  assert.deepEqual([status, body.error], [expected, error], JSON.stringify(body));
}
