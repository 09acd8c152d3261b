import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { soon } from '../spec/support/soon.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { closesForGood } from './support/drawer.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// A list that is open while orders change: one page that nobody reads in follows by itself; others are
// offered anew.

const ORDERS = 130;
const PAGE = 50;
/** Ten times as long as it usually takes. */
const LIVE_MS = 60_000;
const PHONE = { viewport: { width: 390, height: 844 } };

const UNAVAILABLE = {
  status: 503,
  json: { error: { code: 'service_unavailable', message: 'Vuelve a intentarlo en un momento.' } },
};
const TRIAL_ENDED = {
  status: 403,
  json: { error: { code: 'trial_ended', message: 'Tu prueba terminó.' } },
};

interface Size {
  readonly width: number;
  readonly height: number;
}

let instance: TestApp;
let folder: string;

before(async () => {
  if (noBrowser) return;
  ({ instance, folder } = await openMailingInstance(WHOLE_FILE));
});

test('a list of one page shows a new order by itself', { skip: noBrowser }, async (t) => {
  const { page, record } = await openOrders(t, PAGE - 1);
  await record('NUEVA-1');
  await page.getByRole('button', { name: 'NUEVA-1' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Actualizar lista' }).count(), 0);
});

test('a list of one page stays while somebody reads in it, and follows afterwards', {
  skip: noBrowser,
}, async (t) => {
  const { page, record } = await openOrders(t, PAGE - 1);
  const first = page.locator('table.data .opener').first();
  const renew = page.getByRole('button', { name: 'Actualizar lista' });
  const arrived = (id: string) => page.getByRole('button', { name: id });
  const newest = await first.textContent();

  // The page is as high as its rows once these are measured.
  await soon(async () => {
    await page.evaluate('scrollTo(0, 300)');
    assert.equal(await page.evaluate('scrollY'), 300);
  });
  await page.locator('.opener', { hasText: 'ORDEN-30' }).click();
  await page.getByRole('dialog').waitFor();
  await record('NUEVA-1');
  await renew.waitFor({ state: 'attached', timeout: LIVE_MS });
  assert.equal(await arrived('NUEVA-1').count(), 0, 'under the drawer nothing moves');
  assert.equal(await page.evaluate('scrollY'), 300, 'the place is kept under the drawer');

  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('scrollY'), 300, 'the place is kept');
  assert.equal(await arrived('NUEVA-1').count(), 0);
  await page.evaluate('scrollTo(0, 0)');
  await first.hover();
  await record('NUEVA-2');
  await page.waitForResponse(/clock\.read/);
  await page.waitForResponse(/clock\.read/);
  assert.equal(await first.textContent(), newest, 'at the pointer nothing moves');
  await page.mouse.move(0, 0);
  await arrived('NUEVA-2').waitFor({ timeout: LIVE_MS });
  assert.equal(await renew.count(), 0);
});

test('an empty list shows the first order by itself', { skip: noBrowser }, async (t) => {
  const { page, record } = await openOrders(t, 0);
  // Of an organisation without orders the clock is not set.
  await page.waitForResponse(/clock\.read/);
  await record('PRIMERA-1');
  await page.getByRole('button', { name: 'PRIMERA-1' }).waitFor({ timeout: LIVE_MS });
});

test('a list of several pages stays where it is read, and begins anew when its reader says so', {
  skip: noBrowser,
}, async (t) => {
  const { page, record } = await openOrders(t, ORDERS);
  const faults = faultsOf(page);
  const table = page.locator('table.data');
  for (const loaded of [PAGE, 2 * PAGE, ORDERS]) {
    await page.locator(`table.data[aria-rowcount="${loaded + 1}"]`).waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  }
  const opener = table.getByRole('button', { name: 'ORDEN-005' });
  await opener.focus();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/orders.list')) asked.push(request.url());
  });
  const height = await page.evaluate<number>('scrollY');

  await record('NUEVA-1');
  const renew = page.getByRole('button', { name: 'Actualizar lista' });
  // A page that is read again brings no button.
  await Promise.race([renew.waitFor(), page.waitForRequest(/\/orders\.list/, { timeout: 0 })]);
  assert.deepEqual(asked, [], 'no page is read again');
  assert.equal(await page.evaluate('scrollY'), height);
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'ORDEN-005');
  assert.deepEqual(await accessibilityFaults(page), []);

  await renew.focus();
  await page.keyboard.press('Enter');
  await table.getByRole('button', { name: 'NUEVA-1' }).waitFor();
  assert.equal(await page.evaluate('scrollY'), 0);
  assert.equal(await page.evaluate("document.activeElement.matches('.changes')"), true);
  assert.equal(asked.length, 1, asked.join(' '));
  assert.equal(await renew.count(), 0);
  assert.deepEqual(faults, []);
});

test('an order that was closed is not opened again by going back', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, PAGE - 1);
  await closesForGood(page, 'Órdenes');
});

test('a browser that denies the clipboard is told, and nothing fails', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 1);
  const faults = faultsOf(page);
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: () => Promise.reject(new DOMException('denied', 'NotAllowedError')) },
  })`);
  await page.locator('.opener').first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copiar' }).click();
  await page.getByRole('button', { name: 'No se pudo copiar' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a long list that is entered by the menu is the newest, and going back keeps its place', {
  skip: noBrowser,
}, async (t) => {
  const { page, record } = await openOrders(t, ORDERS);
  const menu = (name: string) =>
    page.getByRole('navigation').first().getByRole('link', { name, exact: true });
  const renew = page.getByRole('button', { name: 'Actualizar lista' });
  const height = () => page.evaluate<number>('scrollY');
  const lengthen = async () => {
    for (const loaded of [PAGE, 2 * PAGE, ORDERS]) {
      await page.locator(`table.data[aria-rowcount="${loaded + 1}"]`).waitFor();
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    }
    await page.getByRole('button', { name: 'ORDEN-005' }).waitFor();
  };
  await lengthen();
  const place = await height();
  await menu('Ajustes').click();
  await page.getByRole('heading', { level: 1, name: 'Ajustes' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'ORDEN-005' }).waitFor();
  assert.equal(await height(), place);

  await menu('Ajustes').click();
  await page.getByRole('heading', { level: 1, name: 'Ajustes' }).waitFor();
  await record('NUEVA-1');
  await page.waitForResponse(/clock\.read/);
  await page.waitForResponse(/clock\.read/);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  assert.ok((await height()) > PAGE, 'the page that is left is scrolled');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/orders\.list/.test(request.url())) asked.push(request.url());
  });
  await menu('Órdenes').click();
  await page.getByRole('button', { name: 'NUEVA-1' }).waitFor();
  await page.locator(`table.data[aria-rowcount="${PAGE + 1}"]`).waitFor();
  assert.deepEqual([await renew.count(), await height(), asked.length], [0, 0, 1]);
});

test('on a phone all filters but the search are behind a button that counts those in use', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 1, PHONE);
  const search = page.getByRole('main').getByLabel('Buscar');
  const fold = page.getByRole('button', { name: 'Filtros', exact: true });
  const from = page.getByLabel('Desde', { exact: true });
  await fold.waitFor();
  assert.ok(await search.isVisible());
  assert.equal(await from.isVisible(), false);

  await fold.click();
  await from.fill('01/12/2026');
  await from.press('Enter');
  await page.getByText('No hay órdenes con esos filtros.').waitFor();
  await page.getByRole('button', { name: 'Filtros (1)' }).click();
  assert.equal(await from.isVisible(), false);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Quitar filtros' }).click();
  await fold.waitFor();
  await page.getByRole('button', { name: 'ORDEN-0' }).waitFor();
});

test('a word of the marketplace with a comma is one choice of its filter', {
  skip: noBrowser,
}, async (t) => {
  const { page, record } = await openOrders(t, 1);
  await record('MIXTA-1', { fulfillmentStatus: 'RECEIVED,SHIPPED' });
  await page.getByRole('button', { name: 'MIXTA-1' }).waitFor();
  await page.reload();
  const filter = page.getByRole('combobox', { name: 'Surtido' });
  await filter.click();
  await page.getByRole('option', { name: 'RECEIVED,SHIPPED' }).click();
  await page.getByRole('button', { name: 'ORDEN-0' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'MIXTA-1' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'MIXTA-1' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'ORDEN-0' }).count(), 0);
});

test('rows stay where the next page fails, and that page alone is tried again', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, ORDERS);
  const nextPage = /orders\.list\?.*cursor=/;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/orders.list')) asked.push(request.url());
  });
  await page.route(nextPage, (route) => route.fulfill(UNAVAILABLE));
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const again = page.getByRole('alert').getByRole('button', { name: 'Intentar de nuevo' });
  await again.waitFor();
  assert.equal(await page.locator(`table.data[aria-rowcount="${PAGE + 1}"]`).count(), 1);
  const height = await page.evaluate<number>('scrollY');
  await page.evaluate('scrollBy(0, -50)');
  await page.evaluate('scrollBy(0, 50)');
  assert.equal(asked.length, 1, 'a scroll tries nothing');

  await page.unroute(nextPage);
  await again.click();
  await page.locator(`table.data[aria-rowcount="${2 * PAGE + 1}"]`).waitFor();
  await again.waitFor({ state: 'detached' });
  assert.ok((await page.evaluate<number>('scrollY')) >= height, 'the place is kept');
  assert.deepEqual(
    asked.filter((url) => !nextPage.test(url)),
    [],
    'the first page is not read again',
  );
});

test('rows stay where a poll fails', { skip: noBrowser }, async (t) => {
  const { page, record } = await openOrders(t, 3);
  await page.route(/orders\.list/, (route) => route.fulfill(UNAVAILABLE));
  await record('NUEVA-1');
  const again = page.getByRole('alert').getByRole('button', { name: 'Intentar de nuevo' });
  await again.waitFor({ timeout: LIVE_MS });
  await page.getByRole('button', { name: 'ORDEN-2' }).waitFor();
  await page.unroute(/orders\.list/);
  await again.click();
  await page.getByRole('button', { name: 'NUEVA-1' }).waitFor();
  assert.equal(await again.count(), 0);
});

test('a field of a filter searches by Enter, keeps its focus, and follows the address', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 3);
  const search = page.getByRole('main').getByLabel('Buscar');
  await search.fill('ORDEN-1');
  await search.press('Enter');
  await page.waitForURL(/buscar=ORDEN-1/);
  await page.getByText('1 orden', { exact: true }).waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('ORDEN-2');
  await page.keyboard.press('Enter');
  await page.waitForURL(/buscar=ORDEN-2/);
  await page.goBack();
  await page.waitForURL(/buscar=ORDEN-1/);
  assert.equal(await search.inputValue(), 'ORDEN-1');
  await page.getByRole('button', { name: 'Borrar lo escrito' }).click();
  await page.getByRole('button', { name: 'ORDEN-0' }).waitFor();
  assert.equal(await search.inputValue(), '');
  assert.equal(await search.evaluate((field) => field.matches(':focus')), true);
  assert.equal(await page.getByRole('button', { name: 'Borrar lo escrito' }).count(), 0);
  assert.match((await search.getAttribute('placeholder')) ?? '', / ↵$/);

  await page.getByRole('link', { name: 'Facturas', exact: true }).first().click();
  const rfc = page.getByLabel('RFC', { exact: true });
  await rfc.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/cfdis.list')) asked.push(request.url());
  });
  await rfc.click();
  await page.keyboard.type('xaxx010101000');
  await page.keyboard.press('Enter');
  await page.waitForURL(/rfc=XAXX010101000$/);
  await page.getByText('No hay CFDI con esos filtros.').waitFor();
  assert.equal(asked.length, 1, asked.join(' '));
  await page.getByLabel('Folio fiscal').fill('5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73');
  await page.keyboard.press('Enter');
  await page.waitForURL(/uuid=5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73/);
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a session that ended is said on the open screen, with the way back to it', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 3);
  await page.context().clearCookies();
  const enter = page.getByRole('status').getByRole('link', { name: 'Entrar de nuevo' });
  await enter.waitFor();
  await page.getByRole('button', { name: 'ORDEN-2' }).waitFor();
  await enter.click();
  await page.waitForURL(/\/entrar\?volver=%2Fpanel%2F[^&]+%2Fordenes/);
});

test('a row that is clicked right after typing into a filter opens', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 3);
  await page.getByRole('main').getByLabel('Buscar').fill('ORDEN-1');
  await page.getByRole('button', { name: 'ORDEN-2' }).click({ delay: 200 });
  await page.getByRole('dialog').getByText('ORDEN-2').first().waitFor();
  await page.waitForURL(/buscar=ORDEN-1/);
  await page.getByText('1 orden', { exact: true }).waitFor();
});

test('a form in the place of its button gives the focus back, and a view that stays says why', {
  skip: noBrowser,
}, async (t) => {
  const { page } = await openOrders(t, 3);
  await page.getByRole('main').getByLabel('Buscar').fill('ORDEN');
  await page.keyboard.press('Enter');
  const save = page.getByRole('button', { name: 'Guardar vista' });
  await save.press('Enter');
  await page.getByLabel('Nombre de la vista').press('Escape');
  await page.locator('button:focus', { hasText: 'Guardar vista' }).waitFor();
  await save.press('Enter');
  await page.getByLabel('Nombre de la vista').fill('Mías');
  await page.keyboard.press('Enter');
  const view = page.getByRole('button', { name: 'Mías', exact: true });
  await page.locator('button:focus', { hasText: 'Mías' }).waitFor();
  assert.equal(await save.count(), 0);

  await page.route(/views\.remove/, (route) => route.fulfill(UNAVAILABLE));
  const remove = page.getByRole('button', { name: 'Borrar la vista Mías' });
  const confirm = page.getByRole('dialog', { name: '¿Borrar la vista Mías?' });
  await remove.click();
  await confirm.getByRole('button', { name: 'Cancelar' }).click();
  await view.waitFor();
  await remove.click();
  await confirm.getByRole('button', { name: 'Borrar vista' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'No se pudo borrar la vista' });
  await failed.waitFor();
  await page.unroute(/views\.remove/);
  await page.route(/views\.remove/, (route) => route.fulfill(TRIAL_ENDED));
  await failed.getByRole('button', { name: 'Intentar de nuevo' }).click();
  const plans = failed.getByRole('link', { name: 'Ver los planes' });
  assert.match((await plans.getAttribute('href')) ?? '', /\/panel\/[^/]+\/ajustes$/);
  await page.unroute(/views\.remove/);
  await remove.click();
  await confirm.getByRole('button', { name: 'Borrar vista' }).click();
  await view.waitFor({ state: 'detached' });
});

async function openOrders(t: TestContext, count: number, options: { viewport?: Size } = {}) {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const { length } = String(count);
  const ids = Array.from({ length: count }, (_, at) => `ORDEN-${String(at).padStart(length, '0')}`);
  const dateCreated = Temporal.Instant.from('2026-11-15T12:00:00Z');
  await instance.record(
    ids.map((id, at) => anOrder({ id, dateCreated: dateCreated.add({ minutes: at }) })),
    organizacion,
  );
  const place = { person, organizacion, path: '/ordenes' };
  const page: Page = await openPanelPage(t, instance, place, options);
  const shown = page.locator(count > 0 ? ':is(table.data, .data-cards) .opener' : '.empty');
  await shown.first().waitFor();
  const later = dateCreated.add({ hours: 24 });
  const record = (id: string, given: Parameters<typeof anOrder>[0] = {}) =>
    instance.record([anOrder({ id, dateCreated: later, ...given })], organizacion);
  return { page, record };
}
