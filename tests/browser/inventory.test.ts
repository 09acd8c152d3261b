import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { saveConnection } from '../../src/features/connections/index.ts';
import { recordStock } from '../../src/features/inventory/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import type { TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { closesForGood } from './support/drawer.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// Inventario in a real browser, by the keyboard, with what a marketplace may send.

const HOSTILE = `<img src=x onerror="alert(1)"> ‮Taza${' muy larga'.repeat(15)}`;

const PLACES = [
  ...['amazon', 'coppel', 'liverpool', 'mercado_libre', 'shopify', 'tiendanube'],
  ...['tiktok_shop', 'vtex', 'walmart', 'woocommerce'],
];

let instance: TestApp;
let organizacion: string;
let owner: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
  await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'amazon', accountId: '1', name: 'Outlet norte', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const level = { variationId: '', warehouse: 'seller' as const, unavailable: 0 };
  for (const [marketplace, available] of [
    ['mercado_libre', 3],
    ['amazon', 5],
  ] as const)
    await instance.app.database.within(organizacion).write((scope) =>
      recordStock(
        scope,
        { marketplace, accountId: '1', connectionId: newId() },
        [
          { ...level, itemId: 'I1', sku: 'PLATO', title: HOSTILE, available },
          { ...level, itemId: 'I2', sku: 'TAZA', title: 'Taza azul', available: 8 },
        ],
        { seenAt: instance.clock.now(), announce: false },
      ),
    );
});

test('a person gives a weight and an equivalence by the keyboard, and takes the equivalence away', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario');
  const faults = faultsOf(page);
  await page.getByRole('button', { name: 'PLATO' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Falta peso').waitFor();
  await drawer.getByLabel('Peso (kg)').fill('1,5');
  await page.keyboard.press('Enter');
  await drawer.getByText('El peso debe ser un número mayor que 0').waitFor();
  assert.equal(await drawer.getByLabel('Peso (kg)').inputValue(), '1,5', 'what was typed stays');
  await drawer.getByLabel('Peso (kg)').fill('1200');
  await page.keyboard.press('Enter');
  await drawer
    .getByText('El peso puede ser de hasta 300 kg; revisa que no esté en gramos.')
    .waitFor();
  const tops = await drawer
    .locator('.field-row input')
    .evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 1, 'a message beside a field moves no field');
  const measures = {
    'Peso (kg)': '0.45',
    'Largo (cm)': '12',
    'Ancho (cm)': '12',
    'Alto (cm)': '9',
  };
  for (const [label, value] of Object.entries(measures)) await drawer.getByLabel(label).fill(value);
  await page.keyboard.press('Enter');
  await drawer.getByText('Guardado').waitFor();
  await drawer.getByText('Falta peso').waitFor({ state: 'detached' });

  await drawer.getByRole('button', { name: 'Agregar equivalencia' }).press('Enter');
  await drawer.getByLabel('Marketplace', { exact: true }).selectOption({ label: 'Walmart' });
  await drawer.getByLabel('SKU o publicación').fill('WM-77');
  await page.keyboard.press('Enter');
  const remove = drawer.getByRole('button', { name: 'Quitar la equivalencia WM-77' });
  await remove.press('Enter');
  const asked = page.getByRole('dialog', { name: '¿Quitar la equivalencia WM-77?' });
  await asked.getByText('Puedes agregarla otra vez').waitFor();
  await asked.getByRole('button', { name: 'Cancelar' }).press('Enter');
  await asked.waitFor({ state: 'detached' });
  assert.equal(await remove.count(), 1);
  await remove.press('Enter');
  await asked.getByRole('button', { name: 'Quitar', exact: true }).press('Enter');
  await drawer.getByText('no tiene otros códigos').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'TAZA' }).waitFor();
  await page.waitForFunction("document.activeElement?.textContent === 'TAZA'");
  // The browser notes the refused weight, too.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('status of 400')),
    [],
  );
});

test('accounts are shown by their names, in publications and equivalences', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario');
  await page.getByRole('button', { name: 'TAZA' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Outlet norte').waitFor();
  await drawer.getByRole('button', { name: 'Agregar equivalencia' }).click();
  await drawer.getByLabel('Marketplace', { exact: true }).selectOption({ label: 'Amazon' });
  await drawer.getByLabel('SKU o publicación').fill('AZ-77');
  await drawer.getByLabel('Cuenta (vacía = todas)').fill('1');
  await page.keyboard.press('Enter');
  const equivalence = drawer.getByRole('listitem').filter({ hasText: 'AZ-77' });
  await equivalence.getByText('Outlet norte').waitFor();

  await drawer.getByRole('link', { name: 'Ver las órdenes con este SKU' }).click();
  await page.getByRole('heading', { level: 1, name: 'Órdenes' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('buscar'), 'TAZA');
  await page.goBack();
  await equivalence.waitFor();
});

test('what a marketplace calls a product is text, and the differing SKU is marked', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario?ver=diferencias');
  const faults = faultsOf(page);
  let dialogs = 0;
  page.on('dialog', (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  await page.getByRole('button', { name: 'PLATO' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'TAZA' }).count(), 0, 'TAZA is the same');
  const table = page.getByRole('table', { name: 'Inventario' });
  assert.equal(await table.getByText('menos que en los demás canales').count(), 1);
  await page.getByRole('button', { name: 'PLATO' }).click();
  await page.getByRole('dialog').getByText('<img src=x onerror="alert(1)">').waitFor();
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(dialogs, 0);
  assert.deepEqual(faults, []);
});

test('a failure names its request, and an empty list the next action', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario');
  await page.route('**/inventory.list*', (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req_de_prueba' },
      json: { error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' } },
    }),
  );
  await page.reload();
  await page.getByRole('alert').getByText('req_de_prueba').waitFor();
  await page.unroute('**/inventory.list*');
  await page.route('**/inventory.list*', (route) =>
    route.fulfill({ json: { data: [], next_cursor: null } }),
  );
  await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await page
    .getByRole('main')
    .getByRole('link', { name: /Conecta/ })
    .waitFor();
});

test('a weight that a colleague saved meanwhile stays, and what was typed too', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario?sku=PLATO');
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Alto (cm)').fill('9');
  const colleague = await opened(t, '/inventario?sku=PLATO');
  const theirs = colleague.getByRole('dialog');
  await theirs.getByLabel('Peso (kg)').fill('1.2');
  await theirs.getByRole('button', { name: 'Guardar' }).click();
  await theirs.getByText('Guardado').waitFor();

  // The drawer may have been fetched again meanwhile, and its button is disabled then.
  await drawer.getByLabel('Alto (cm)').press('Enter');
  await drawer.getByText('Otra persona guardó cambios').waitFor();
  await drawer.getByText('Guardado ahora: vacío').waitFor();
  assert.equal(await drawer.getByLabel('Peso (kg)').inputValue(), '1.2');
  assert.equal(await drawer.getByLabel('Alto (cm)').inputValue(), '9');
  assert.deepEqual(await accessibilityFaults(page), []);
  await drawer.getByRole('button', { name: 'Guardar lo que escribí' }).click();
  await drawer.getByText('Guardado', { exact: true }).waitFor();
  assert.equal(await drawer.getByLabel('Peso (kg)').inputValue(), '1.2');
});

test('what is typed while a form saves stays in it, and a colleague who saves then is told of', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/inventario?sku=TAZA');
  const drawer = page.getByRole('dialog');
  const [weight, height] = [drawer.getByLabel('Peso (kg)'), drawer.getByLabel('Alto (cm)')];
  const save = drawer.getByRole('button', { name: 'Guardar', exact: true });
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route('**/products.change', async (route) => {
    arrived.resolve();
    await release.promise;
    await route.continue();
  });
  await weight.fill('0.4');
  await save.click();
  await arrived.promise;
  await height.fill('11');
  const refreshed = page.waitForResponse('**/inventory.get*');
  release.resolve();
  await refreshed;
  await save.waitFor();
  assert.equal(await weight.inputValue(), '0.4');
  assert.equal(await height.inputValue(), '11');
  await drawer.getByText('Guardado', { exact: true }).waitFor({ state: 'detached' });
  await drawer.getByText('Otra persona guardó cambios').waitFor({ state: 'detached' });

  const colleague = await opened(t, '/inventario?sku=TAZA');
  const theirs = colleague.getByRole('dialog');
  assert.equal(await theirs.getByLabel('Peso (kg)').inputValue(), '0.4');
  await theirs.getByLabel('Peso (kg)').fill('0.5');
  await theirs.getByRole('button', { name: 'Guardar' }).click();
  await theirs.getByText('Guardado').waitFor();
  await height.press('Enter');
  await drawer.getByText('Otra persona guardó cambios').waitFor();
  await drawer.getByRole('button', { name: 'Guardar lo que escribí' }).click();
  await drawer.getByText('Guardado', { exact: true }).waitFor();
  assert.equal(await weight.inputValue(), '0.5');
  assert.equal(await height.inputValue(), '11');
});

test('on a phone the stock of a SKU in many marketplaces is shown whole', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '/ajustes');
  await page.route(/inventory\.list/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const [channel] = body.data[0].channels;
    body.data[0].channels = PLACES.map((marketplace, at) => ({
      ...{ ...channel, marketplace, least: 10_000 + at, most: 20_000 + at },
    }));
    await route.fulfill({ response: answer, json: body });
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(page.url().replace('ajustes', 'inventario'));
  const cards = page.locator('.data-card');
  const figure = cards.first().getByText('20,009');
  await figure.waitFor();
  const card = await cards.first().boundingBox();
  const last = await figure.boundingBox();
  const next = await cards.nth(1).boundingBox();
  assert.ok(card && last && next);
  assert.ok(last.y + last.height <= card.y + card.height, 'the last stock is in its card');
  assert.ok(next.y >= card.y + card.height, 'the next card is below');
});

test(
  'a SKU that was closed is not opened again by going back',
  {
    skip: noBrowser,
  },
  async (t) => closesForGood(await opened(t, '/ajustes'), 'Inventario'),
);

function opened(t: TestContext, path: string): Promise<Page> {
  return openPanelPage(t, instance, { person: owner, organizacion, path });
}
