import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// Facturas pendientes and Factura global in a real browser.

const SIZES = [
  { colorScheme: 'light', viewport: { width: 1366, height: 768 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

let instance: TestApp;
let organizacion: string;
let owner: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
  const order = (number: number, daysAgo: number, marketplace: 'amazon' | 'mercado_libre') =>
    anOrder({
      ...{ id: `702-000000${number}`, marketplace, accountId: 'A1', total: decimal('1232.50') },
      dateCreated: instance.clock.now().subtract({ hours: 24 * daysAgo }),
      ...(number === 1 && { taxTotal: decimal('170.00') }),
    });
  await instance.record(
    [order(1, 0, 'amazon'), order(2, 0, 'amazon'), order(3, 70, 'mercado_libre')],
    organizacion,
  );
});

for (const { colorScheme, viewport } of SIZES)
  test(`orders without a CFDI in ${colorScheme} at ${viewport.width} px: a month narrows the list`, {
    skip: noBrowser,
  }, async (t) => {
    const page = await openPanelPage(
      t,
      instance,
      { person: owner, organizacion, path: '/facturas' },
      { colorScheme, viewport },
    );
    const faults = faultsOf(page);
    await page.getByRole('button', { name: 'Facturas pendientes (3 en total)' }).click();
    await page.getByText('En total: 3 órdenes por $3,697.50 MXN').waitFor();
    await page.getByRole('status').getByText('3 órdenes', { exact: true }).waitFor();
    const first = instance.clock.now().toZonedDateTimeISO('America/Mexico_City').subtract({
      days: 400,
    });
    const exported = page.getByRole('link', { name: 'Exportar' });
    const address = new URL((await exported.getAttribute('href')) ?? '', page.url());
    assert.equal(address.searchParams.get('desde'), first.toPlainDate().toString());
    const sums = page.getByLabel('Por mes y marketplace');
    await sums.getByText('$2,465.00 MXN').waitFor();
    await sums.getByText('2 órdenes').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= viewport.width, `${width} px`);

    await sums.getByRole('button').first().click();
    await page.getByRole('status').getByText('2 órdenes', { exact: true }).waitFor();
    const ofMonth = page.getByText('Con estos filtros: 2 órdenes por $2,465.00 MXN');
    await ofMonth.waitFor();
    assert.match((await exported.getAttribute('href')) ?? '', /marketplace=/);
    if (viewport.width > 640) await page.getByText('$170.00 MXN').waitFor();
    await page.getByRole('button', { name: 'Quitar filtros' }).click();
    await page.getByRole('status').getByText('3 órdenes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Este mes' }).click();
    await ofMonth.waitFor();
    await page.getByRole('button', { name: 'Mes pasado' }).click();
    await page.getByText('No hay órdenes sin CFDI en este periodo.').waitFor();

    await page.getByRole('button', { name: 'Factura global' }).click();
    await page.getByText('Sin incluir').first().waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole('link', { name: '702-0000001' }).click();
    const order = page.getByRole('dialog').getByText('702-0000001').first();
    await order.waitFor();
    const shown = page.url();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Facturas' }).waitFor();
    await page.getByText('Sin incluir').first().waitFor();
    assert.match(page.url(), /vista=global/);
    const outside = await page.context().newPage();
    await outside.goto(shown);
    await outside.getByRole('dialog').getByText('702-0000001').first().waitFor();
    await outside.keyboard.press('Escape');
    await outside.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(outside.url(), /\/ordenes$/);
    assert.deepEqual(faults, []);
  });

test('on a phone the chosen part is in sight, also where a count widens the others', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(
    t,
    instance,
    { person: owner, organizacion, path: '/facturas?vista=global' },
    { viewport: { width: 390, height: 844 } },
  );
  await page.getByRole('button', { name: 'Facturas pendientes (3 en total)' }).waitFor();
  const chosen = page.locator('.tabs [aria-pressed=true]');
  const [row, own] = [
    await page.locator('.tabs').first().boundingBox(),
    await chosen.boundingBox(),
  ];
  assert.ok(row && own && own.x >= row.x - 1, JSON.stringify([row, own]));
  assert.ok(own.x + own.width <= row.x + row.width + 1, JSON.stringify([row, own]));
});
