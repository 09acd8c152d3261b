import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beginStream,
  finishRun,
  noteFailure,
  noteRun,
  saveConnection,
  savePage,
} from '../../src/features/connections/index.ts';
import type { WriteScope } from '../../src/platform/db/database.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// What a seller sees from connecting an account until its orders are there.

const PAGE = { position: '20', largestSeen: null, items: 980 } as const;
const NEVER_TOLD = { position: '2', largestSeen: null, items: 300, total: null } as const;
const DONE = { outcome: 'done', reason: null } as const;

test('a first import shows its count and what is left, and then stands among the last runs', {
  skip: noBrowser,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const { owner, organizacion } = await openTeam(instance, folder);
  const { clock } = instance;
  const write = (work: (scope: WriteScope) => Promise<void>) =>
    instance.app.database.within(organizacion).write(work);
  const counted = await connected('woocommerce');
  const uncounted = await connected('shopify');
  await connected('tiendanube');
  const window = { from: null, to: clock.now() };
  await write(async (scope) => {
    await beginStream(scope, counted, 'orders', window);
    await savePage(scope, counted, 'orders', { ...PAGE, total: 1_960 });
    await beginStream(scope, uncounted, 'orders', { ...window, from: clock.now() });
    await savePage(scope, uncounted, 'orders', NEVER_TOLD);
  });
  clock.advance({ minutes: 10 });

  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/' });
  const faults = faultsOf(page);
  const home = page.url();
  const accounts = page.getByRole('region', { name: 'Cuentas conectadas' });
  await accounts.getByText('Órdenes: 980 de 1,960').waitFor();
  await accounts.getByText('Faltan unos 10 min, a 98 por minuto').waitFor();
  await accounts.getByText('Órdenes: 300 hasta ahora').waitFor();
  await accounts.getByText('30 por minuto; Shopify no informa el total').waitFor();
  assert.equal(await accounts.getByRole('progressbar').count(), 1, 'no share of an unknown total');
  assert.equal(await accounts.getByText('Primera sincronización en curso').count(), 2);
  assert.equal(await accounts.getByText('Primera sincronización pendiente').count(), 1);
  assert.equal(await accounts.getByText('Al día').count(), 0, 'not before all is read');
  assert.deepEqual(await accessibilityFaults(page), []);

  await show(page, new URL('conexiones', `${home.replace(/\/$/, '')}/`).href);
  await page.getByText('Órdenes: 980 de 1,960').waitFor();
  await page.getByText('Órdenes: 300 hasta ahora').waitFor();
  assert.equal(await page.getByText('Primera sincronización pendiente').count(), 1);
  assert.equal(await page.getByText('Al día').count(), 0);
  await write(async (scope) => {
    const reason = 'WooCommerce no respondió.';
    await noteRun(scope, counted, 'orders', { outcome: 'stopped', reason });
    await noteRun(scope, counted, 'orders', DONE);
    await finishRun(scope, counted, 'orders', null, window.to);
  });
  await page.getByText('Órdenes: 980 de 1,960').waitFor({ state: 'detached' });
  const account = page.getByRole('listitem').filter({ hasText: 'WooCommerce' });
  await account.getByText('Al día').waitFor();
  await write(async (scope) => {
    await beginStream(scope, counted, 'inventory', { from: null, to: clock.now() });
    await savePage(scope, counted, 'inventory', { ...PAGE, items: 39, total: 39 });
  });
  await account.getByText('Inventario: 39 de 39').waitFor();
  await account.getByText('Ya leímos todo. Falta una última revisión.').waitFor();
  assert.equal(await account.getByText('Primera sincronización en curso').count(), 1);
  assert.equal(await account.getByText('Al día').count(), 0, 'not while something is read');
  await show(page, home);
  const own = accounts.getByRole('listitem').filter({ hasText: 'WooCommerce' });
  await own.getByText('Inventario: 39 de 39').waitFor();
  assert.equal(await own.getByText('Al día').count(), 0, 'the same on Inicio');
  await show(page, new URL('conexiones', `${home.replace(/\/$/, '')}/`).href);
  await write(async (scope) => {
    await noteFailure(scope, counted, 'inventory', 'WooCommerce no da permiso.');
  });
  for (const _ of [1, 2]) await page.waitForResponse('**/connections.imports*');
  await account.getByText('Al día').waitFor();
  assert.equal(await account.getByText('Inventario:').count(), 0, 'it stopped, and is not awaited');
  assert.equal(await account.getByText('en curso').count(), 0);
  await account.getByRole('button', { name: 'Historial de sincronización' }).press('Enter');
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Órdenes: completa').waitFor();
  await drawer.getByText('980 registros · 10 min').waitFor();
  await drawer.getByText('WooCommerce no respondió.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);

  function connected(service: 'woocommerce' | 'shopify' | 'tiendanube'): Promise<string> {
    return instance.app.database.within(organizacion).write((scope) =>
      saveConnection(scope, instance.app.exchange.keyring, {
        ...{ service, accountId: '1', name: 'Tienda', baseUrl: 'https://tienda.example' },
        ...{ credentials: { key: 'a' }, credentialsExpireAt: null },
      }),
    );
  }
});
