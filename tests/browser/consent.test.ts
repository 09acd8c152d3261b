import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { changePlan } from '../../src/features/organizations/index.ts';
import { soon } from '../spec/support/soon.ts';
import { openAgentStage } from '../support/agent.ts';
import { openAgent } from '../support/agent-client.ts';
import { resourceOf } from '../support/agents.ts';
import { faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { EVERY_LOOK, faultsInLooks } from './support/looks.ts';

// What only a real browser shows: its own rules for forms, redirects and the origin that it sends.

test('in a browser without script a person unticks, agrees and ends at the agent', {
  skip: noBrowser,
}, async (t) => {
  const stage = await openAgentStage(t);
  const listener = createServer((_request, response) => void response.end('listo')).listen(
    0,
    '127.0.0.1',
  );
  await once(listener, 'listening');
  t.after(() => void listener.close());
  const { port } = listener.address() as { port: number };
  const [person, agent] = [
    await stage.person(),
    await openAgent(stage, { redirectUri: `http://127.0.0.1:${port}/callback` }),
  ];
  const context = await openBrowser(t, { javaScriptEnabled: false });
  await context.addCookies([{ name: 'persona', value: person.id, url: stage.url }]);
  const page = await context.newPage();

  await page.goto(agent.authorizeUrl());
  await page.getByLabel('Inventario: existencias por producto y almacén').uncheck();
  await page.getByRole('button', { name: 'Permitir' }).click();
  await page.waitForURL(`${agent.redirectUri}**`);
  const url = new URL(page.url());
  const { body } = await agent.redeem(url.searchParams.get('code') as string);
  await page.goto(`${stage.url}/cuenta/agentes`);
  await page.getByRole('button', { name: 'Desconectar Agente de prueba' }).click();
  await page.getByText('No hay agentes conectados.').waitFor();

  assert.equal(body.scope, 'orders:read');
  await soon(async () => assert.equal(await stage.call(body.access_token), 401));
});

test('the pages on which a person agrees, may not, and meets an unknown agent have no fault in any scheme and width', {
  skip: noBrowser,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const { owner, organizacion } = await openTeam(instance, folder);
  const url = instance.app.exchange.publicUrl;
  const agent = await openAgent({ url, resource: resourceOf(instance) });
  const context = await openBrowser(t);
  const cookies = [...owner.visitor.cookies].map(([name, value]) => ({ name, value, url }));
  await context.addCookies(cookies);
  const page = await context.newPage();
  const faults = faultsOf(page);
  const found: string[] = [];
  const look = async (address: string, heading: string | RegExp) => {
    await page.goto(address);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    found.push(...(await faultsInLooks(page, String(heading), { looks: EVERY_LOOK })));
  };

  await look(agent.authorizeUrl(), 'Tu plan Demo no incluye la API');
  const plan = { organizationId: organizacion, plan: 'intermedio', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, instance.clock, plan));
  await look(agent.authorizeUrl(), /pide leer tus datos/);
  await page.getByRole('button', { name: 'Permitir' }).waitFor();
  assert.deepEqual(faults, []);
  await look(agent.authorizeUrl({ client_id: 'nadie' }), /./);
  assert.equal(await page.getByRole('button', { name: 'Permitir' }).count(), 0);
  assert.deepEqual(found, []);
});
