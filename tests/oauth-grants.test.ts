import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configOf } from '../src/environment.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import {
  type AgentCall,
  disconnectAgent,
  listAgents,
  openCallRecorder,
  recordCalls,
  resealKeys,
  serverKeys,
} from '../src/features/grants/index.ts';
import type { Keyring } from '../src/platform/seal.ts';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { openAgentStage, type Person } from './support/agent.ts';
import {
  type Agent,
  connectAgent,
  consent,
  getJson,
  openAgent,
  type Tokens,
  toConsent,
} from './support/agent-client.ts';
import { runHere } from './support/command.ts';
import type { Ran } from './support/ran.ts';

// What agents hold, how it is seen and ended, and what the authorization server signs with.
// Also runs on served PostgreSQL and Redis.

const stage = await openAgentStage(WHOLE_FILE);
const { database } = stage.at.app;
const keyring = configOf(stage.at.env).secrets.keyring as Keyring;
const own = database.within(stage.at.organization.id);

test('a disconnected agent is refused within a second in every process', async (t) => {
  const beside = await openAgentStage(t, { beside: stage });
  const { person, agent, tokens, grantId } = await connected();
  assert.deepEqual(
    [await stage.call(tokens.access_token), await beside.call(tokens.access_token)],
    [200, 200],
  );

  const answer = await person.browser.post(`${stage.url}/cuenta/agentes`, [
    ['organizacion', stage.at.organization.id],
    ['agente', grantId],
  ]);

  assert.equal(answer.status, 303);
  for (const process of [stage, beside])
    await soon(async () => assert.equal(await process.call(tokens.access_token), 401));
  const refused = await agent.refresh(tokens.refresh_token);
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
  assert.deepEqual(
    await stage.sql('select 1 from oauth_records where grant_id = $1 or id = $1', [grantId]),
    [],
  );
});

test('a plan without API refuses tokens already issued, in every process, and accepts them again', async (t) => {
  const beside = await openAgentStage(t, { beside: stage });
  const { tokens } = await connected();
  assert.deepEqual(
    [await stage.call(tokens.access_token), await beside.call(tokens.access_token)],
    [200, 200],
  );

  await stage.at.setPlan('basico');
  for (const process of [stage, beside])
    await soon(async () => assert.equal(await process.call(tokens.access_token), 403));

  await stage.at.setPlan('intermedio');
  for (const process of [stage, beside])
    await soon(async () => assert.equal(await process.call(tokens.access_token), 200));
});

test('a token revoked at one process is refused by the other', async (t) => {
  const beside = await openAgentStage(t, { beside: stage });
  const { agent, tokens } = await connected();
  assert.equal(await beside.call(tokens.access_token), 200);

  await agent.revoke(tokens.access_token);

  await soon(async () => assert.equal(await beside.call(tokens.access_token), 401));
});

test('a consent begun at one process is finished at another', async (t) => {
  const beside = await openAgentStage(t, { beside: stage });
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());

  const page = await person.browser.get(url.replace(stage.url, beside.url));

  assert.equal(page.status, 200);
  assert.match(page.text, /pide leer tus datos/);
});

test('connected agents are listed with what they may read, their last use and the tools they called', async () => {
  const { person, agent, grantId } = await connected();
  const call = callsOf(agent, person, grantId);
  await database.write((handle) => recordCalls(handle, [call('list_orders'), call('list_orders')]));
  stage.clock.advance({ minutes: 1 });
  await database.write((handle) => recordCalls(handle, [call('get_order')]));

  const found = (await own.read(listAgents)).find((one) => one.grantId === grantId);
  const page = await person.browser.get(`${stage.url}/cuenta/agentes`);

  assert.ok(found);
  assert.equal(found.clientName, 'Agente de prueba');
  assert.equal(found.redirectHost, '127.0.0.1:33418');
  assert.deepEqual(found.scopes, ['orders:read', 'inventory:read']);
  assert.equal(found.lastUsedAt?.toString(), stage.clock.now().toString());
  assert.deepEqual(
    found.tools.map(({ tool, count }) => [tool, count]),
    [
      ['get_order', 1],
      ['list_orders', 2],
    ],
  );
  assert.match(page.text, /Agente de prueba/);
  assert.match(page.text, /list_orders: 2 veces/);
  assert.match(page.text, /Desconectar Agente de prueba/);
});

test('an agent that asks for more is one agent still, with one history, and its former tokens read what they did', async () => {
  const { person, agent, tokens, grantId } = await connected();
  await database.write((handle) =>
    recordCalls(handle, [callsOf(agent, person, grantId)('list_orders')]),
  );
  assert.deepEqual(await scopesOf(tokens), ['orders:read', 'inventory:read']);

  const wider = await connectAgent(agent, person, { scope: 'orders:read sales:read' });

  const [found, ...others] = (await own.read(listAgents)).filter(
    ({ clientId }) => clientId === agent.clientId,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    [found?.grantId, found?.scopes, found?.tools.map(({ tool }) => tool)],
    [grantId, ['orders:read', 'sales:read', 'inventory:read'], ['list_orders']],
  );
  assert.equal(wider.scope, 'orders:read sales:read');
  assert.deepEqual(await scopesOf(wider), ['orders:read', 'sales:read']);
  assert.deepEqual(await scopesOf(tokens), ['orders:read', 'inventory:read']);
  assert.equal(
    (await agent.refresh(tokens.refresh_token)).body.scope,
    'orders:read inventory:read',
  );
  await person.browser.post(`${stage.url}/cuenta/agentes`, [
    ['organizacion', stage.at.organization.id],
    ['agente', grantId],
  ]);
  for (const { access_token } of [tokens, wider])
    await soon(async () => assert.equal(await stage.call(access_token), 401));
});

test('what a person keeps back the second time is taken from the tokens of the first', async () => {
  const { person, agent, tokens } = await connected();

  await consent(person.browser, agent.authorizeUrl(), { scopes: ['inventory:read'] });

  await soon(async () => assert.deepEqual(await scopesOf(tokens), ['inventory:read']));
  const { status, body } = await agent.refresh(tokens.refresh_token);
  assert.deepEqual([status, body.scope], [200, 'inventory:read']);
});

test('two tabs that say yes at once make one agent', async () => {
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const tabs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const browser = person.browser.copy();
      return { browser, ...(await toConsent(browser, agent.authorizeUrl())) };
    }),
  );

  const answers = await Promise.all(
    tabs.map(async ({ browser, url }) => {
      const answered = await browser.post(url, [
        ['organizacion', stage.at.organization.id],
        ['decision', 'permitir'],
        ['permiso', 'orders:read'],
      ]);
      const back = new URL((await browser.get(answered.location as string)).location as string);
      return agent.redeem(back.searchParams.get('code') as string);
    }),
  );

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  for (const { body } of answers) assert.equal(await stage.call(body.access_token), 200);
  assert.equal(
    (await stage.sql('select 1 from agent_grants where client_id = $1', [agent.clientId])).length,
    1,
  );
});

test('an agent that is connected again after it was disconnected has a new grant', async () => {
  const { person, agent, tokens, grantId } = await connected();
  await own.write((scope) => disconnectAgent(scope, 'operator', grantId));

  const again = await connectAgent(agent, person);

  const [found] = (await own.read(listAgents)).filter(
    ({ clientId }) => clientId === agent.clientId,
  );
  assert.notEqual(found?.grantId, grantId);
  assert.equal(await stage.call(again.access_token), 200);
  assert.equal(await stage.call(tokens.access_token), 401);
});

test('an agent that holds nothing any more is not listed', async () => {
  const { grantId } = await connected();
  const isListed = async () => (await own.read(listAgents)).some((one) => one.grantId === grantId);
  assert.equal(await isListed(), true);

  stage.clock.advance({ hours: 24 * 31 });

  assert.equal(await isListed(), false);
});

test('a manager sees everybody’s agents, other members their own, strangers none', async () => {
  const { person, grantId } = await connected(await stage.person('member'));
  const stranger = await stage.person('owner', (await openShop(stage.at)).organization.id);
  const pageOf = async (visitor: Person) =>
    (await visitor.browser.get(`${stage.url}/cuenta/agentes`)).text;

  for (const [each, words] of [
    [person, 'Conecta otro agente'],
    [stranger, 'Conecta tu primer agente'],
  ] as const) {
    const text = await pageOf(each);
    assert.ok(text.includes(words), words);
    assert.ok(text.includes(`>${stage.resource}</code>`), 'where agents connect');
  }
  assert.ok((await pageOf(person)).includes(grantId));
  assert.ok((await pageOf(await stage.person('admin'))).includes(grantId));
  assert.ok(!(await pageOf(await stage.person('member'))).includes(grantId));
  assert.ok(!(await pageOf(stranger)).includes(grantId));
});

test('a person ends all agents of their own at once, in all of their organisations, and no others', async () => {
  const person = await stage.person('owner');
  const other = await openShop(stage.at);
  const [first, second, third] = [
    await openAgent(stage),
    await openAgent(stage),
    await openAgent(stage),
  ];
  const here = await connectAgent(first, person);
  await stage.join(person.id, other.organization.id, 'member');
  const { url } = await toConsent(person.browser, second.authorizeUrl());
  const answered = await person.browser.post(url, [
    ['organizacion', other.organization.id],
    ['decision', 'permitir'],
    ['permiso', 'orders:read'],
  ]);
  const back = new URL((await person.browser.get(answered.location as string)).location as string);
  const there = (await second.redeem(back.searchParams.get('code') as string)).body;
  const onItsWay = await consent(person.browser.copy(), `${third.authorizeUrl()}`, {
    organization: stage.at.organization.id,
    scopes: ['orders:read'],
  });
  const colleague = await connected();

  const page = await person.browser.get(`${stage.url}/cuenta/agentes`);
  const ended = await person.browser.post(`${stage.url}/cuenta/agentes`, [['todos', 'mios']]);
  const after = await person.browser.get(new URL(ended.location as string, stage.url).href);

  assert.match(page.text, /Desconectar todos los míos/);
  assert.equal(ended.status, 303);
  assert.match(after.text, /role="status">Se desconectaron todos los agentes que conectaste/);
  assert.doesNotMatch(after.text, /Desconectar todos/);
  for (const { access_token } of [here, there])
    await soon(async () => assert.equal(await stage.call(access_token), 401));
  const late = await third.redeem(onItsWay.searchParams.get('code') as string);
  assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
  assert.equal(await stage.call(colleague.tokens.access_token), 200);
});

test('a person cannot disconnect another organisation’s agent, nor a colleague’s without managing', async () => {
  const { tokens, grantId } = await connected();
  const shop = await openShop(stage.at);
  const stranger = await stage.person('owner', shop.organization.id);
  const colleague = await stage.person('supervisor');

  for (const [visitor, organizationId] of [
    [stranger, shop.organization.id],
    [stranger, stage.at.organization.id],
    [colleague, stage.at.organization.id],
  ] as const) {
    const answer = await visitor.browser.post(`${stage.url}/cuenta/agentes`, [
      ['organizacion', organizationId],
      ['agente', grantId],
    ]);
    assert.equal(answer.status, 404);
  }
  const foreign = database.within(shop.organization.id);
  assert.equal(await foreign.write((scope) => disconnectAgent(scope, 'operator', grantId)), false);
  const forged = await stranger.browser.post(`${stage.url}/cuenta/agentes`, [], {
    origin: 'https://evil.example',
  });
  assert.equal(forged.status, 403);
  assert.equal(await stage.call(tokens.access_token), 200);
});

test('calls are written in batches, without their arguments', async () => {
  const { person, agent, grantId } = await connected();
  const faults: unknown[] = [];
  const recorder = openCallRecorder(database, stage.clock, (error) => faults.push(error));
  const call = callsOf(agent, person, grantId);

  recorder.record(call('list_orders'));
  recorder.record({ ...call('get_order'), outcome: 'order_not_found', rows: 0 });
  const before = await stage.sql('select 1 from agent_calls where grant_id = $1', [grantId]);
  await recorder.close();

  assert.deepEqual(before, []);
  assert.deepEqual(
    await stage.sql(
      'select tool, duration_ms, row_count, outcome from agent_calls where grant_id = $1 order by seq',
      [grantId],
    ),
    [
      { tool: 'list_orders', duration_ms: 13, row_count: 20, outcome: 'ok' },
      { tool: 'get_order', duration_ms: 13, row_count: 0, outcome: 'order_not_found' },
    ],
  );
  assert.deepEqual(faults, []);
});

test('housekeeping removes what has ended, calls after a year, and nothing else', async () => {
  const { person, agent, tokens, grantId } = await connected();
  const call = callsOf(agent, person, grantId);
  await database.write((handle) => recordCalls(handle, [call('list_orders')]));
  const count = async (sql: string) => Number((await stage.sql(sql, [grantId]))[0]?.count);
  const records = () => count('select count(*) from oauth_records where grant_id = $1');
  const before = await records();

  stage.clock.advance({ minutes: 20 });
  await housekeeping();
  const { status } = await agent.refresh(tokens.refresh_token);

  assert.equal(before, 3, 'a code, an access token, a refresh token');
  assert.equal(status, 200);
  stage.clock.advance({ hours: 24 * 91 });
  await housekeeping();
  assert.equal(await records(), 0);
  assert.equal(await count('select count(*) from agent_calls where grant_id = $1'), 1);
  stage.clock.advance({ hours: 24 * 300 });
  await housekeeping();
  assert.equal(await count('select count(*) from agent_calls where grant_id = $1'), 0);
});

test('several processes that start at once make one key', async () => {
  await stage.sql('delete from oauth_keys');

  const seen = await Promise.all(
    Array.from({ length: 5 }, () => serverKeys(database, keyring, stage.clock)),
  );

  const names = seen.map(({ signing }) => signing.map(({ kid }) => kid).join());
  assert.equal(new Set(names).size, 1);
  const rows = await stage.sql('select box from oauth_keys');
  assert.equal(rows.length, 1);
  assert.ok(!String(rows[0]?.box).includes('"d"'), 'it is sealed');
});

test('every 90 days a new key signs, and the former goes once nothing is left of what it signed', async () => {
  await stage.sql('delete from oauth_keys');
  const published = async () =>
    (await getJson(`${stage.url}/oauth/jwks`)).body.keys.map(
      ({ kid }: { kid: string }) => kid,
    ) as string[];
  stage.clock.advance({ hours: 2 });
  const [first] = await published();
  assert.ok(first);
  stage.clock.advance({ hours: 24 * 89 });
  assert.deepEqual(await published(), [first]);

  stage.clock.advance({ hours: 24 });
  const [signer, second] = await published();
  assert.equal(signer, first, 'until every process knows the new one');
  assert.ok(second);
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const begun = await toConsent(person.browser, agent.authorizeUrl());

  stage.clock.advance({ hours: 3 });
  assert.deepEqual(await published(), [second, first]);
  const { tokens } = await connected();
  assert.equal(await stage.call(tokens.access_token), 200);
  assert.equal(begun.page.status, 200);

  stage.clock.advance({ hours: 24 });
  await housekeeping();
  stage.clock.advance({ hours: 1 });
  assert.deepEqual(await published(), [second]);
});

test('a consent begun before the keys changed is finished after it', async () => {
  await stage.sql('delete from oauth_keys');
  stage.clock.advance({ hours: 2 });
  await getJson(`${stage.url}/oauth/jwks`);
  stage.clock.advance({ hours: 24 * 90 });
  await getJson(`${stage.url}/oauth/jwks`);
  stage.clock.advance({ minutes: 119 });
  const [person, agent] = [await stage.person(), await openAgent(stage)];
  const { url } = await toConsent(person.browser, agent.authorizeUrl());
  const [former] = (await serverKeys(database, keyring, stage.clock)).cookies;

  stage.clock.advance({ minutes: 5 });
  const [current] = (await serverKeys(database, keyring, stage.clock)).cookies;
  const page = await person.browser.get(url);

  assert.notEqual(current, former);
  assert.equal(page.status, 200);
});

test('keys are sealed again with a new master key, and without the old one they cannot be read', async () => {
  const before = await serverKeys(database, keyring, stage.clock);
  const fresh = {
    current: Buffer.from('0123456789abcdef0123456789abcdef'),
    previous: keyring.current,
  };

  const { resealed, unopened } = await resealKeys(database, fresh);
  const after = await serverKeys(database, { current: fresh.current, previous: null }, stage.clock);
  const again = await resealKeys(database, fresh);
  await resealKeys(database, { current: keyring.current, previous: fresh.current });

  assert.ok(resealed > 0);
  assert.equal(unopened, 0);
  assert.deepEqual(after, before);
  assert.deepEqual(again, { resealed: 0, unopened: 0 });
});

test('an operator lists agents and disconnects them', async () => {
  const { tokens, grantId } = await connected();
  const organization = ['--organization', stage.at.organization.id];

  const listed = JSON.parse((await cli('agents', ...organization)).stdout);
  const ended = await cli('disconnect-agent', ...organization, '--agent', grantId);
  const again = await cli('disconnect-agent', ...organization, '--agent', grantId);

  assert.ok(listed.agents.some(({ agent }: { agent: string }) => agent === grantId));
  assert.deepEqual(JSON.parse(ended.stdout), { agent: grantId, disconnected: true });
  assert.equal(again.code, 1);
  await soon(async () => assert.equal(await stage.call(tokens.access_token), 401));
});

test('the trail shows who connected an agent and who ended it, an operator and the instance too', async () => {
  const acts = async (grantId: string) =>
    (
      await stage.sql(
        'select act, done_by, person_id, address is not null as is_placed, label from acts where subject = $1 order by seq',
        [grantId],
      )
    ).map((row) => Object.values(row));
  const [byPerson, byOperator, byAgent] = [await connected(), await connected(), await connected()];

  await byPerson.person.browser.post(`${stage.url}/cuenta/agentes`, [
    ['organizacion', stage.at.organization.id],
    ['agente', byPerson.grantId],
  ]);
  await own.write((scope) => disconnectAgent(scope, 'operator', byOperator.grantId));
  await own.write((scope) => disconnectAgent(scope, 'operator', byOperator.grantId));
  await byAgent.agent.refresh(byAgent.tokens.refresh_token);
  // The token that was exchanged comes again: it has leaked.
  await byAgent.agent.refresh(byAgent.tokens.refresh_token);

  const name = 'Agente de prueba';
  const made = ({ person }: { person: Person }) => [
    'agent_connected',
    'person',
    person.id,
    true,
    name,
  ];
  const end = (who: string, id: string | null) => [
    'agent_disconnected',
    who,
    id,
    id !== null,
    name,
  ];
  assert.deepEqual(await acts(byPerson.grantId), [
    made(byPerson),
    end('person', byPerson.person.id),
  ]);
  assert.deepEqual(await acts(byOperator.grantId), [made(byOperator), end('operator', null)]);
  assert.deepEqual(await acts(byAgent.grantId), [made(byAgent), end('house', null)]);
});

async function connected(
  person?: Person,
): Promise<{ person: Person; agent: Agent; tokens: Tokens; grantId: string }> {
  const [who, agent] = [person ?? (await stage.person()), await openAgent(stage)];
  const tokens = await connectAgent(agent, who);
  const [row] = await stage.sql('select grant_id from agent_grants where client_id = $1', [
    agent.clientId,
  ]);
  return { person: who, agent, tokens, grantId: String(row?.grant_id) };
}

async function scopesOf({ access_token }: Tokens): Promise<string[]> {
  const headers = { authorization: `Bearer ${access_token}` };
  return (await getJson(stage.resource, { method: 'POST', headers })).body.scopes;
}

function callsOf(agent: Agent, person: Person, grantId: string) {
  return (tool: string): AgentCall => ({
    organizationId: stage.at.organization.id,
    grantId,
    personId: person.id,
    clientId: agent.clientId,
    tool,
    at: stage.clock.now(),
    milliseconds: 12.6,
    rows: 20,
    outcome: 'ok',
  });
}

async function housekeeping(): Promise<void> {
  await runHousekeeping(stage.at.app.exchange);
}

function cli(...args: string[]): Promise<Ran> {
  return runHere([...args, '--json'], stage.at.env);
}
