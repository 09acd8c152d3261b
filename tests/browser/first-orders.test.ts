import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { startWalmart, type Walmart } from '../../simulators/walmart/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { soon } from '../spec/support/soon.ts';
import type { TestApp } from '../support/app.ts';
import { addAuthenticator, faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { openMailingInstance } from '../support/people.ts';
import { mailsTo, tokenIn } from '../support/visitor.ts';
import { type Acts, countActs } from './support/acts.ts';

// From registering to one's own orders: an account whose credentials are typed, and one whose
// marketplace asks for consent. The acts of connecting are counted from Inicio.

const PASSWORD = 'cuatro tazas azules';
const EMAIL = 'ana@tienda.example';
const TYPED_ACTS = 6;
const CONSENT_ACTS = 4;
const PHONE = { width: 390, height: 844 };

let instance: TestApp;
let folder: string;
let walmart: Walmart;
let page: Page;
let faults: string[];
let began = 0;

before(async () => {
  if (noBrowser) return;
  walmart = await startWalmart();
  const market = await startMercadoLibre();
  WHOLE_FILE.after(walmart.close);
  WHOLE_FILE.after(market.close);
  for (const { world } of [walmart, market]) world.pay(world.place().id);
  const { application } = market;
  const clock = { ...systemClock, advance() {} };
  ({ instance, folder } = await openMailingInstance(WHOLE_FILE, clock, {
    WALMART_BASE_URL: walmart.url,
    MERCADO_LIBRE_BASE_URL: market.url,
    MERCADO_LIBRE_CLIENT_ID: application.clientId,
    MERCADO_LIBRE_CLIENT_SECRET: application.clientSecret,
  }));
  application.redirectUri = `${instance.app.exchange.publicUrl}/connect/mercado_libre`;
  page = await (
    await openBrowser(WHOLE_FILE, { viewport: { width: 1366, height: 768 } })
  ).newPage();
  faults = faultsOf(page);
});

test('a person registers and confirms the address in the same browser', {
  skip: noBrowser,
}, async () => {
  const url = instance.app.exchange.publicUrl;
  began = performance.now();
  await page.goto(`${url}/registro`);
  await page.getByLabel('Tu nombre').fill('Ana Robles');
  await page.getByLabel('Tu tienda u organización').fill('Papelería Sol');
  await page.getByLabel('Correo').fill(EMAIL);
  await page.getByLabel('Contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'Crear cuenta' }).click();
  await page.getByRole('heading', { name: 'Revisa tu correo' }).waitFor();
  let token = '';
  await soon(async () => {
    token = tokenIn(await mailsTo(folder, EMAIL, 1), '/verificar-correo');
  });
  await page.goto(`${url}/verificar-correo?token=${token}`);
  await page.getByRole('button', { name: 'Confirmar mi correo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
});

test('on a phone the first screen of a new organisation offers to connect an account', {
  skip: noBrowser,
}, async () => {
  const desktop = page.viewportSize() ?? PHONE;
  await page.setViewportSize(PHONE);
  await onInicio();
  const connect = page.getByRole('main').getByRole('link', { name: 'Conectar una cuenta' });
  const { y, height } = (await connect.boundingBox()) ?? { y: Infinity, height: 0 };
  assert.ok(y + height <= PHONE.height, `the button ends at ${y + height} px`);
  assert.equal(await page.getByText('Todo en orden').count(), 0, 'nothing is in order yet');
  await page.setViewportSize(desktop);
});

test(`typed credentials bring the first orders, the second factor included (acts: ${TYPED_ACTS})`, {
  skip: noBrowser,
}, async (t) => {
  const acts = await onInicio();
  await addAuthenticator(page, { verifies: true });
  const { client_id, client_secret } = walmart.credentials();
  await acts.click(
    page.getByRole('main').getByRole('link', { name: 'Conectar una cuenta' }).first(),
  );
  await acts.click(page.getByRole('button', { name: 'Conectar: Walmart' }));
  await acts.click(page.getByRole('button', { name: 'Usar este dispositivo' }));
  const form = page.getByRole('dialog');
  await acts.type(form.getByLabel('Client ID'), client_id);
  await acts.type(form.getByLabel('Client Secret'), client_secret);
  await acts.click(form.getByRole('button', { name: 'Probar y guardar' }));
  await form.waitFor({ state: 'detached' });
  await hasOrdersOf('Walmart');
  t.diagnostic(`${acts.done()} acts, ${acts.seconds()}`);
  t.diagnostic(`${sinceRegistering()} s from registering to the first orders`);
  assert.equal(acts.done(), TYPED_ACTS);
  assert.deepEqual(faults, []);
});

test(`a consent brings the first orders (acts: ${CONSENT_ACTS})`, {
  skip: noBrowser,
}, async (t) => {
  const acts = await onInicio();
  await acts.click(page.getByRole('navigation').getByRole('link', { name: 'Conexiones' }));
  await acts.click(page.getByRole('button', { name: 'Conectar: Mercado Libre' }));
  await acts.click(page.getByRole('button', { name: 'Continuar en Mercado Libre' }));
  // The simulator agrees at once, where a seller clicks.
  acts.elsewhere();
  await page.waitForURL(/conectada=mercado_libre/);
  await hasOrdersOf('Mercado Libre');
  t.diagnostic(`${acts.done()} acts, ${acts.seconds()}`);
  assert.equal(acts.done(), CONSENT_ACTS);
  assert.deepEqual(faults, []);
});

async function onInicio(): Promise<Acts> {
  await page.goto(`${instance.app.exchange.publicUrl}/panel`);
  await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
  return countActs();
}

/** The list shows new orders by itself. */
async function hasOrdersOf(marketplace: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Órdenes', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: marketplace });
  await row.locator('.opener').first().waitFor();
}

function sinceRegistering(): number {
  return Math.round((performance.now() - began) / 1_000);
}
