import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// A list that is open while orders change: one page that nobody reads in follows by itself; others are
// offered anew.

const ORDERS = 130;
const PAGE = 50;
/** Ten times as long as it usually takes. */
const LIVE_MS = 60_000;
const PHONE = { viewport: { width: 390, height: 844 } };

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

  await page.evaluate('scrollTo(0, 300)');
  await page.locator('.opener', { hasText: 'ORDEN-30' }).click();
  await page.getByRole('dialog').waitFor();
  await record('NUEVA-1');
  await renew.waitFor({ state: 'attached', timeout: LIVE_MS });
  assert.equal(await arrived('NUEVA-1').count(), 0, 'under the drawer nothing moves');

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
  const record = (id: string) =>
    instance.record([anOrder({ id, dateCreated: later })], organizacion);
  return { page, record };
}
