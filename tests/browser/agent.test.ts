import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { createOrganization, type Organization } from '../../src/features/organizations/index.ts';
import { addMember, linkTo, makeUser } from '../../src/features/people/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { soon } from '../spec/support/soon.ts';
import { type Agent, resourceOf } from '../support/agents.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import {
  chooseFirstPassword,
  enter,
  faultsOf,
  type Login,
  noBrowser,
  openBrowser,
  turnOnSecondFactor,
} from '../support/chromium.ts';
import { callTool } from '../support/mcp.ts';
import { openSdkAgent, type SdkAgent, type SdkVersion } from '../support/sdk-agent.ts';
import { codeOf } from '../support/visitor.ts';

// From an address alone to every order and back to nothing: a whole instance, a real browser, the
// official clients.

const PASSWORD = 'cuatro tazas azules';
const ORDERS = 500;
const PAGE = 100;
const SHOP = 'Papelería Sol';

interface Stage {
  readonly at: TestApp;
  readonly browser: BrowserContext;
  readonly shop: Organization;
  readonly other: Organization;
}

const stage = noBrowser ? null : await openStage();

for (const { version, hasSecondFactor } of [
  { version: '2.4', hasSecondFactor: true },
  { version: '1.32', hasSecondFactor: false },
] satisfies { version: SdkVersion; hasSecondFactor: boolean }[]) {
  const how = hasSecondFactor ? 'password and code' : 'password';
  test(`a person with ${how} lets an agent with the client of version ${version} read, adds a scope, and disconnects it`, {
    skip: noBrowser,
  }, async (t) => {
    const { at, browser } = stage as Stage;
    const page = await browser.newPage();
    const faults = faultsOf(page);
    const person = await letIn(
      stage as Stage,
      page,
      `ana-${version}@tienda.example`,
      hasSecondFactor,
    );
    const agent = await openSdkAgent(t, version, resourceOf(at));

    await t.test('it finds its way, and gets what was left ticked', async () => {
      await agent.connect(async (url) => {
        await page.goto(url);
        await enter(page, person);
        if (person.key) await giveCode(page, person.key);
        await page.getByRole('radio', { name: SHOP }).check();
        await page.getByRole('button', { name: 'Continuar' }).click();
        await page.getByRole('heading', { name: 'Agente con SDK pide leer tus datos' }).waitFor();
        await page
          .getByText('volverás a la aplicación de esta computadora que inició la conexión.')
          .waitFor();
        assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 6);
        await page.getByLabel('Saldos: dinero disponible y por liberar').uncheck();
        await page.getByRole('button', { name: 'Permitir' }).click();
        await page.getByText('Listo.').waitFor();
      });

      assert.equal((await agent.tools()).length, 8);
      assert.equal(isHeld(agent, 'balances:read'), false);
    });

    await t.test('it walks every order once', async () => {
      const pages = await walk(agent);

      const ids = pages.flat();
      assert.deepEqual(
        pages.map((rows) => rows.length),
        Array(ORDERS / PAGE).fill(PAGE),
      );
      assert.equal(new Set(ids).size, ORDERS);
    });

    await t.test('what was unticked it asks for again, of the same organisation', async () => {
      const { status, headers } = await callTool(at, bearerOf(agent), 'get_balances');
      const challenge = headers.get('www-authenticate') ?? '';
      // The former client would renew its token instead of asking.
      delete agent.keeper.kept.tokens?.refresh_token;
      const balances = await agent.call('get_balances', {}, async (url) => {
        await page.goto(url);
        await page.getByText(`Organización: ${SHOP}`).waitFor();
        assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 6);
        await page.getByRole('button', { name: 'Permitir' }).click();
        await page.getByText('Listo.').waitFor();
      });

      assert.deepEqual([status, /error="insufficient_scope"/.test(challenge)], [403, true]);
      assert.deepEqual(balances.data, []);
      assert.ok(isHeld(agent, 'balances:read'));
      assert.equal((await agent.call('list_orders', { limit: 1 })).data.length, 1);
    });

    await t.test('«Desconectar» ends it at once, with its refresh token', async () => {
      const { access_token, refresh_token } = agent.keeper.tokens();
      await page.goto(`${at.app.exchange.publicUrl}/cuenta/agentes`);
      // There is one: what it asked for afterwards widened what it held.
      await page.getByRole('button', { name: 'Desconectar Agente con SDK' }).click();
      await page.waitForLoadState();

      assert.ok(access_token && refresh_token);
      await soon(async () =>
        assert.equal((await callTool(at, bearerOf(agent), 'list_orders')).status, 401),
      );
      assert.deepEqual(await renew(at, agent), [400, 'invalid_grant']);
      assert.deepEqual(faults, []);
    });
    await page.context().clearCookies();
  });
}

async function openStage(): Promise<Stage> {
  const at = await openApp(WHOLE_FILE, { clock: { ...systemClock, advance() {} } });
  const make = (name: string) =>
    at.app.database.write((handle) =>
      createOrganization(handle, systemClock, { name, plan: 'intermedio' }),
    );
  const [shop, other] = [await make(SHOP), await make('Otra tienda')];
  await at.record(
    Array.from({ length: ORDERS }, (_, number) => anOrder({ id: String(2_000_000_000 + number) })),
    shop.id,
  );
  return { at, browser: await openBrowser(WHOLE_FILE), shop, other };
}

/**
 * A member of both organisations who chose a password by the link of `create-user` and went away
 * again.
 */
async function letIn(
  { at, shop, other }: Stage,
  page: Page,
  email: string,
  hasSecondFactor: boolean,
): Promise<Login & { key: string | null }> {
  const { database, exchange } = at.app;
  const { personId, token } = await database
    .within(shop.id)
    .write((scope) => makeUser(scope, { email, role: 'owner' }));
  await database
    .within(other.id)
    .write((scope) => addMember(scope, 'operator', { personId, role: 'owner' }));
  const person = { email, password: PASSWORD };
  await page.goto(linkTo(exchange.publicUrl, '/restablecer', token));
  await chooseFirstPassword(page, PASSWORD);
  await enter(page, person);
  await page.getByRole('heading', { name: 'Inicio' }).waitFor();
  await page.goto(`${exchange.publicUrl}/cuenta`);
  const key = hasSecondFactor ? await turnOnSecondFactor(page, PASSWORD) : null;
  await page.getByRole('button', { name: 'Cerrar sesión', exact: true }).click();
  await page.getByText('Saliste de tu cuenta.').waitFor();
  return { ...person, key };
}

async function giveCode(page: Page, key: string): Promise<void> {
  // The code of now was spent on turning it on.
  await page.getByLabel('Código de tu aplicación').fill(codeOf(key, Date.now() + 30_000));
  await page.getByRole('button', { name: 'Continuar' }).click();
}

async function walk(agent: SdkAgent): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null && pages.length < ORDERS; ) {
    const { data, pagination } = await agent.call('list_orders', {
      limit: PAGE,
      ...(cursor && { cursor }),
    });
    pages.push(data.map(({ id }: { id: string }) => id));
    cursor = pagination.next_cursor;
  }
  return pages;
}

function isHeld({ keeper }: SdkAgent, scope: string): boolean {
  return keeper.tokens().scope.split(' ').includes(scope);
}

function bearerOf({ keeper }: SdkAgent): Agent {
  return {
    headers: { authorization: `Bearer ${keeper.tokens().access_token}` },
  } as unknown as Agent;
}

async function renew({ app: instance }: TestApp, { keeper }: SdkAgent): Promise<[number, string]> {
  const response = await fetch(`${instance.exchange.publicUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: keeper.tokens().refresh_token ?? '',
      client_id: keeper.kept.client?.client_id ?? '',
    }),
  });
  return [response.status, ((await response.json()) as { error: string }).error];
}
