import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disconnectAgent, listAgents } from '../src/features/grants/index.ts';
import { lockOrders } from './spec/support/lock.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { openAgentStage, type Person } from './support/agent.ts';
import {
  type Agent,
  connectAgent,
  consent,
  openAgent,
  type Tokens,
  toConsent,
} from './support/agent-client.ts';
import { anAgent, mcpAddress } from './support/agents.ts';
import { callTool } from './support/mcp.ts';
import { beginPost } from './support/unfinished.ts';

// Attempts to read more, or for longer, than a person granted.

const stage = await openAgentStage(WHOLE_FILE);
const own = stage.at.app.database.within(stage.at.organization.id);
const MANY = 20;

test('of a refresh token that comes twenty times at once one family comes of it at most, and it is ended', async (t) => {
  const beside = await openAgentStage(t, { beside: stage });
  const { agent, tokens } = await connected();
  const atOther = await openAgent(beside, { clientId: agent.clientId });

  const answers = await Promise.all(
    Array.from({ length: MANY }, (_, index) =>
      (index % 2 === 0 ? agent : atOther).refresh(tokens.refresh_token),
    ),
  );

  const won = answers.filter(({ status }) => status === 200);
  assert.ok(won.length <= 1, `${won.length} got tokens`);
  for (const { status, body } of answers.filter((answer) => !won.includes(answer)))
    assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  for (const { body } of [...won, { body: tokens }]) {
    await soon(async () => assert.equal(await stage.call(body.access_token), 401));
    assert.equal((await agent.refresh(body.refresh_token)).status, 400);
  }
  assert.ok(!(await isListed(agent)));
});

test('a token that is renewed while its agent is disconnected is worth nothing', async () => {
  for (let round = 0; round < 5; round++) {
    const { person, agent, tokens } = await connected();

    const [renewed] = await Promise.all([
      agent.refresh(tokens.refresh_token),
      person.browser.post(`${stage.url}/cuenta/agentes`, [['todos', 'mios']]),
    ]);

    const late = renewed.status === 200 ? (renewed.body as Tokens) : tokens;
    await soon(async () => assert.equal(await stage.call(late.access_token), 401));
    assert.equal((await agent.refresh(late.refresh_token)).status, 400);
    assert.ok(!(await isListed(agent)));
  }
});

test('a call that was let in before its agent was disconnected is answered, and the next one is not', async (t) => {
  const agent = await anAgent(stage.at);
  const release = await lockOrders(t, stage.at);
  const running = callTool(stage.at, agent, 'list_orders');
  const isWaiting = async () =>
    assert.equal(
      (
        await stage.sql(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%orders%'`,
        )
      ).length,
      1,
    );
  await soon(isWaiting);

  await own.write((scope) => disconnectAgent(scope, 'operator', agent.grantId));
  const next = async () =>
    assert.equal((await callTool(stage.at, agent, 'get_account')).status, 401);
  await soon(next);
  await release();

  assert.equal((await running).status, 200);
});

test('an agent that is disconnected while its message arrives reads nothing', async () => {
  const agent = await anAgent(stage.at);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_orders' } };
  const headers = { ...agent.headers, accept: 'application/json, text/event-stream' };
  assert.equal((await callTool(stage.at, agent, 'get_account')).status, 200);
  const begun = await beginPost(mcpAddress(stage.at), headers, JSON.stringify(call));

  await own.write((scope) => disconnectAgent(scope, 'operator', agent.grantId));
  await soon(async () =>
    assert.equal((await callTool(stage.at, agent, 'get_account')).status, 401),
  );

  const late = await begun.finish();
  assert.deepEqual([late.status, /invalid_token/.test(late.text)], [401, true], late.text);
});

test('no token does the work of another', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const back = await consent(person.browser, agent.authorizeUrl());
  const code = back.searchParams.get('code') as string;

  assert.equal(await stage.call(code), 401);
  assert.equal((await agent.refresh(code)).status, 400);
  const { body } = await agent.redeem(code);
  assert.equal((await agent.refresh(body.access_token)).status, 400);
  assert.equal((await agent.redeem(body.refresh_token)).status, 400);
  assert.equal(await stage.call(body.refresh_token), 401);
  assert.equal(await stage.call(body.access_token), 200, 'none of it was held against the agent');
});

test('another program that brings a used code or refresh token ends nothing of the one it was made for', async () => {
  const [person, agent, other] = [
    await stage.person(),
    await openAgent(stage),
    await openAgent(stage),
  ];
  const code = (await consent(person.browser, agent.authorizeUrl())).searchParams.get(
    'code',
  ) as string;
  const first = (await agent.redeem(code)).body;
  const second = (await agent.refresh(first.refresh_token)).body;

  assert.equal((await other.redeem(code, { code_verifier: agent.verifier })).status, 400);
  assert.equal((await other.refresh(first.refresh_token)).status, 400);
  await other.revoke(first.refresh_token);

  assert.equal(await stage.call(second.access_token), 200);
  assert.equal((await agent.refresh(second.refresh_token)).status, 200);
});

test('a code without its verifier, or with the challenge in its place, brings nothing', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const url = agent.authorizeUrl();
  const challenge = new URL(url).searchParams.get('code_challenge') as string;
  const code = (await consent(person.browser, url)).searchParams.get('code') as string;
  const fields = { grant_type: 'authorization_code', code, redirect_uri: agent.redirectUri };

  for (const verifier of [undefined, '', challenge, 'x'])
    assert.equal(
      (await agent.token({ ...fields, ...(verifier !== undefined && { code_verifier: verifier }) }))
        .status,
      400,
    );

  assert.equal((await agent.redeem(code)).status, 200);
});

test('what a token is for is settled at the consent, and cannot be changed afterwards', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const aCode = async () => {
    const url = agent.authorizeUrl({ resource: null, scope: 'orders:read' });
    return (await consent(person.browser, url)).searchParams.get('code') as string;
  };

  for (const resource of [`${stage.url}/v1`, `${stage.resource}/`, 'urn:x'])
    assert.equal((await agent.redeem(await aCode(), { resource })).body.error, 'invalid_target');
  const { body } = await agent.redeem(await aCode(), { scope: 'orders:read balances:read' });
  assert.equal(body.scope, 'orders:read');
  const renew = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  for (const [fields, error] of [
    [{ scope: 'orders:read balances:read' }, 'invalid_scope'],
    [{ resource: `${stage.url}/v1` }, 'invalid_target'],
  ] as const)
    assert.equal((await agent.token({ ...renew, ...fields })).body.error, error);
});

test('a page of consent that is open twice is answered once', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const [first, second] = [person.browser.copy(), person.browser.copy()];
  await second.get(url);

  const answered = await first.post(url, yes());
  const back = await first.get(answered.location as string);
  const again = await second.post(url, yes());
  const resumedAgain = await second.get(answered.location as string);

  assert.equal(new URL(back.location as string).host, '127.0.0.1:33418');
  for (const answer of [again, resumedAgain]) {
    assert.equal(answer.status, 400);
    assert.equal(answer.location, null);
    assert.match(answer.text, /<html lang="es-MX">/);
  }
});

test('both tabs that say yes before either goes on bring one answer to the agent', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const tabs = [person.browser.copy(), person.browser.copy()];

  const answered = await Promise.all(tabs.map((tab) => tab.post(url, yes())));
  const backs = await Promise.all(
    tabs.map((tab, index) => tab.get(answered[index]?.location ?? `${stage.url}/none`)),
  );

  const codes = backs.flatMap(
    ({ location }) => new URL(location ?? 'x:').searchParams.get('code') ?? [],
  );
  assert.ok(codes.length >= 1, JSON.stringify(backs.map(({ status }) => status)));
  assert.equal(
    (await stage.sql('select 1 from agent_grants where client_id = $1', [agent.clientId])).length,
    1,
  );
});

test('a second press on an answer goes on as the first', async () => {
  const answers: [string, string][][] = [yes(), [['decision', 'cancelar']]];
  for (const answer of answers) {
    const [person, agent] = [await stage.person(), await openAgent(stage)];
    const { url } = await toConsent(person.browser, agent.authorizeUrl());

    const first = await person.browser.post(url, answer);
    const second = await person.browser.post(url, answer);
    const back = await person.browser.get(second.location ?? `${stage.url}/none`);

    assert.equal(second.location, first.location);
    assert.equal(new URL(back.location as string).host, '127.0.0.1:33418');
  }
});

test('a person who goes back after the answer and agrees again sees that it is over', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const before = person.browser.copy();
  const answered = await person.browser.post(url, yes());
  await person.browser.get(answered.location as string);

  for (const browser of [person.browser, before]) {
    const again = await browser.post(url, yes());
    const seen = await browser.get(url);
    assert.deepEqual([again.status, seen.status], [400, 400]);
    assert.match(again.text, /venció/);
  }
});

test('a plan that lost the API between yes and the code lets the agent in when it has it again', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const code = (await consent(person.browser, agent.authorizeUrl())).searchParams.get(
    'code',
  ) as string;

  await stage.at.setPlan('basico');
  const { status, body } = await agent.redeem(code);

  assert.equal(status, 200);
  assert.equal(await stage.call(body.access_token), 403);
  await stage.at.setPlan('intermedio');
  await soon(async () => assert.equal(await stage.call(body.access_token), 200));
});

test('a member who is removed between the consent and the code gives the agent nothing', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const code = (await consent(person.browser, agent.authorizeUrl())).searchParams.get(
    'code',
  ) as string;

  await stage.sql('delete from members where person_id = $1', [person.id]);

  assert.deepEqual((await agent.redeem(code)).body.error, 'invalid_grant');
});

test('a member removed while the page was open can give nothing', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());

  await stage.sql('delete from members where person_id = $1', [person.id]);
  const answered = await person.browser.post(url, yes());

  assert.equal(answered.status, 400);
  assert.deepEqual(
    await stage.sql('select 1 from agent_grants where client_id = $1', [agent.clientId]),
    [],
  );
});

for (const [what, parameters] of [
  ['a login of now, in words of another standard', { max_age: '0', scope: 'openid orders:read' }],
  ['a new login', { prompt: 'login' }],
  ['a new login and consent', { prompt: 'login consent' }],
  ['consent', { prompt: 'consent' }],
] as const) {
  test(`an agent that demands ${what} asks the person once`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage)];

    const tokens = await connectAgent(agent, person, parameters);

    assert.ok(!('id_token' in tokens));
    assert.equal(await stage.call(tokens.access_token), 200);
  });
}

for (const [what, parameters] of [
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['a request object elsewhere', { request_uri: 'http://127.0.0.1:1/x' }],
  ['a registration within the request', { registration: '{}' }],
] as const) {
  test(`${what} is not read`, async () => {
    const [person, agent] = [await stage.person(), await openAgent(stage)];

    const answer = await person.browser.get(agent.authorizeUrl(parameters));

    assert.ok([303, 400].includes(answer.status));
    assert.match(
      `${answer.location ?? ''}${answer.text}`,
      /request_not_supported|request_uri_not_supported|registration_not_supported/,
    );
  });
}

async function connected(): Promise<{ person: Person; agent: Agent; tokens: Tokens }> {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  return { person, agent, tokens: await connectAgent(agent, person) };
}

async function isListed(agent: Agent): Promise<boolean> {
  return (await own.read(listAgents)).some(({ clientId }) => clientId === agent.clientId);
}

function yes(): [string, string][] {
  return [
    ['organizacion', stage.at.organization.id],
    ['decision', 'permitir'],
    ['permiso', 'orders:read'],
  ];
}
