import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Paquetexpress } from '../../simulators/paquetexpress/index.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { findOrganization } from '../../src/features/organizations/index.ts';
import type { TestApp } from '../support/app.ts';
import { enter, faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import {
  addressOf,
  connectCarrier,
  push,
  settled,
  startCarrier,
} from '../support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam, PASSWORD } from '../support/people.ts';

// The shipments of carriers, their events and where these came from.

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1366, height: 768 };
const HOSTILE = '<img src=x onerror=alert(1)>';
/** Of Paquetexpress's own data model. */
const FIELDS = 55;

const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});
let instance: TestApp;
let organizacion: string;
let carrier: Paquetexpress;
let webhooks: string;
let owner: Known;

before(async () => {
  if (noBrowser) return;
  const end = { after: (close: () => unknown) => void ends.push(close) } as never;
  const opened = await openMailingInstance(end);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
  carrier = await startCarrier(end, instance.clock);
  const organization = await instance.app.database.read((handle) =>
    findOrganization(handle, organizacion),
  );
  assert.ok(organization);
  webhooks = await addressOf(instance, organization);
  await connectCarrier(instance, organizacion, carrier);
});

test('a shipment is found by its number, with every field, and events with their source', {
  skip: noBrowser,
}, async () => {
  const { tracking } = carrier.document();
  carrier.happen(tracking, 'SWB');
  await sync();
  instance.clock.advance({ minutes: 5 });
  await tell(tracking, 'TRN');
  await settled(instance);
  for (const [colorScheme, viewport] of [
    ['light', DESKTOP],
    ['dark', PHONE],
    ['light', { ...PHONE, width: 320 }],
  ] as const) {
    const page = await open({ colorScheme, viewport });
    const faults = faultsOf(page);
    await show(page, 'envios');
    await page.getByLabel('Rastreo o guía').fill(tracking);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: tracking }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Fuente: webhook').waitFor();
    await dialog.getByText('Fuente: historial').first().waitFor();
    for (const summary of await dialog.locator('summary').all()) await summary.click();
    assert.equal(await dialog.locator('details dt').count(), FIELDS);
    assert.deepEqual(await accessibilityFaults(page), []);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= viewport.width, `${width} px`);
    assert.match(page.url(), new RegExp(`envio=${tracking}`));
    assert.deepEqual(faults, []);
  }
});

test('an event without a shipment is shown as text, whatever it says', {
  skip: noBrowser,
}, async () => {
  const { tracking } = carrier.document();
  const page = await open({ viewport: DESKTOP });
  const faults = faultsOf(page);
  await show(page, 'envios?ver=sin-envio');
  await page.getByText('Todos los eventos recibidos tienen su envío.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await tell(tracking, 'TRN', { descripcion: HOSTILE, sucursal: HOSTILE });
  await show(page, 'envios?ver=sin-envio');
  await page.getByText(tracking).waitFor();
  await page.getByText('webhook', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);
});

test('shipments that cannot be read say so, and none lead on to the connections', {
  skip: noBrowser,
}, async () => {
  const page = await open({ viewport: DESKTOP });
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

function addressIn(path: string): string {
  return `${instance.url}/panel/${organizacion}/${path}`;
}

async function open(options: Parameters<typeof openBrowser>[1]): Promise<Page> {
  const end = { after: (close: () => unknown) => void ends.push(close) } as never;
  const page = await (await openBrowser(end, options)).newPage();
  await page.goto(`${instance.url}/entrar`);
  await enter(page, { email: owner.email, password: PASSWORD });
  await page.getByRole('navigation').first().getByRole('link', { name: 'Envíos' }).waitFor();
  return page;
}

/** Until nothing is loading any more. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(addressIn(path));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
}

async function tell(tracking: string, code: string, more: object = {}): Promise<void> {
  const fechahora = instance.clock.now().epochMilliseconds;
  const event = { rastreo: tracking, eventoId: code, fechahora, ...more };
  const { status } = await push(webhooks, event);
  assert.equal(status, 200);
}

function sync() {
  const what = { organizationId: organizacion, service: null, stream: 'shipments' } as const;
  return syncOrganization(instance.app.exchange, what);
}
