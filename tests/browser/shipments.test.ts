import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Paquetexpress } from '../../simulators/paquetexpress/index.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { findOrganization } from '../../src/features/organizations/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser, type openBrowser } from '../support/chromium.ts';
import { openSenderOf, push, settled } from '../support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam, type Team } from '../support/people.ts';
import { EVERY_LOOK, faultsInLooks } from './support/looks.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// The shipments of carriers, their events and where these came from.

const DESKTOP = { width: 1366, height: 768 };
const HOSTILE = '<img src=x onerror=alert(1)>';
/** Of Paquetexpress's own data model. */
const FIELDS = 55;

let instance: TestApp;
let organizacion: string;
let carrier: Paquetexpress;
let webhooks: string;
let owner: Known;
let join: Team['join'];

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion, join } = team);
  const organization = await instance.app.database.read((handle) =>
    findOrganization(handle, organizacion),
  );
  assert.ok(organization);
  ({ carrier, address: webhooks } = await openSenderOf(organization, instance, WHOLE_FILE));
});

test('a shipment is found by its number, with every field, and events with their source', {
  skip: noBrowser,
}, async (t) => {
  const { tracking } = carrier.document();
  carrier.happen(tracking, 'SWB');
  await sync();
  instance.clock.advance({ minutes: 5 });
  await report(tracking, 'TRN');
  await settled(instance);
  const page = await open(t, { viewport: DESKTOP });
  const faults = faultsOf(page);
  await show(page, addressIn('envios'));
  await page.getByLabel('Rastreo o guía').fill(tracking);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: tracking }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Fuente: webhook').waitFor();
  await dialog.getByText('Fuente: historial').first().waitFor();
  for (const summary of await dialog.locator('summary').all()) await summary.click();
  assert.equal(await dialog.locator('details dt').count(), FIELDS);
  const total = dialog.locator('details dt', { hasText: /^Total$/ }).locator('+ dd');
  assert.match((await total.textContent()) ?? '', /^\$[\d,]+\.\d\d\sMXN$/);
  const seen = { looks: EVERY_LOOK, mayBeEnglish: true };
  assert.deepEqual(await faultsInLooks(page, 'the shipment', seen), []);
  assert.match(page.url(), new RegExp(`envio=${tracking}`));
  assert.deepEqual(faults, []);
});

test('the sales and the shipments on a screen are exported with its days', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { viewport: DESKTOP });
  for (const [place, what] of [
    ['ventas', 'sales'],
    ['envios', 'shipments'],
  ] as const) {
    await show(page, addressIn(`${place}?desde=2026-10-03&hasta=2026-10-09`));
    await page.getByRole('link', { name: 'Exportar', exact: true }).click();
    await page.getByRole('button', { name: 'Pedir la exportación' }).waitFor();
    assert.equal(await page.getByLabel('¿Qué datos?').inputValue(), what);
    assert.equal(await page.getByLabel('Desde el día').inputValue(), '2026-10-03');
    assert.equal(await page.getByLabel('Hasta el día').inputValue(), '2026-10-09');
  }
});

test('a shipment is found by its order, and its row leads to the order', {
  skip: noBrowser,
}, async (t) => {
  const { tracking, reference: order } = carrier.document();
  await instance.record([anOrder({ id: order })], organizacion);
  await sync();
  const page = await open(t, { viewport: DESKTOP });
  await show(page, addressIn('envios'));
  await page.getByLabel('Número de orden').fill(order);
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: tracking });
  await row.getByRole('link', { name: order }).click();
  await page.getByRole('dialog', { name: order }).waitFor();
  await page.goBack();
  await row.waitFor();
});

test('an event without a shipment is shown as text, whatever it says', {
  skip: noBrowser,
}, async (t) => {
  const { tracking } = carrier.document();
  const page = await open(t, { viewport: DESKTOP });
  const faults = faultsOf(page);
  await show(page, addressIn('envios?ver=sin-envio'));
  await page.getByText('Todos los eventos recibidos tienen su envío.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await report(tracking, 'TRN', { descripcion: HOSTILE, sucursal: HOSTILE });
  await show(page, addressIn('envios?ver=sin-envio'));
  await page.getByText(tracking).waitFor();
  await page.getByText('webhook', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);
});

test('shipments that cannot be read say so, and none lead on to the connections', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, { viewport: DESKTOP });
  await withoutAccounts(page);
  let answer: { status: number; json: object } = {
    status: 500,
    json: { error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' } },
  };
  await page.route('**/shipments.list*', (route) =>
    route.fulfill({ ...answer, headers: { 'x-request-id': 'req_de_prueba' } }),
  );
  await page.goto(addressIn('envios'));
  const alert = page.getByRole('alert');
  await alert.getByText('req_de_prueba').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  answer = { status: 200, json: { data: [], next_cursor: null } };
  await alert.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Conectar una paquetería' }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a role that connects nothing is led to no connection', { skip: noBrowser }, async (t) => {
  const person = await join('warehouse');
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  await withoutAccounts(page);
  await page.route('**/shipments.list*', (route) =>
    route.fulfill({ json: { data: [], next_cursor: null } }),
  );
  await page.goto(addressIn('envios'));
  const main = page.getByRole('main');
  await main.getByText('Aquí verás').waitFor();
  assert.equal(await main.getByRole('link', { name: 'Conectar una paquetería' }).count(), 0);
});

/** As of an organisation that has connected nothing yet. */
function withoutAccounts(page: Page): Promise<unknown> {
  return page.route('**/connections.list*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), data: [] } });
  });
}

function addressIn(path: string): string {
  return `${instance.app.exchange.publicUrl}/panel/${organizacion}/${path}`;
}

function open(t: TestContext, options: Parameters<typeof openBrowser>[1]): Promise<Page> {
  return openPanelPage(t, instance, { person: owner, organizacion, path: '' }, options);
}

async function report(tracking: string, code: string, more: object = {}): Promise<void> {
  const fechahora = instance.clock.now().epochMilliseconds;
  const event = { rastreo: tracking, eventoId: code, fechahora, ...more };
  const { status } = await push(webhooks, event);
  assert.equal(status, 200);
}

function sync() {
  const what = { organizationId: organizacion, service: null, stream: 'shipments' } as const;
  return syncOrganization(instance.app.exchange, what);
}
