import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { raiseAlert } from '../../src/features/alerts/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { joined, openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// Inicio leads to the orders whose buyers wait; an order says what is open, and what its seller earns.

const FAILURE = {
  error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' },
  meta: { request_id: 'req_1' },
};

let instance: TestApp;
let folder: string;

before(async () => {
  if (noBrowser) return;
  ({ instance, folder } = await openMailingInstance(WHOLE_FILE));
});

test('from Inicio to the order with a claim', { skip: noBrowser }, async (t) => {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const claimed = anOrder({ id: 'R-1', status: 'delivered', tags: ['open_return', 'open_claim'] });
  await instance.record([anOrder({ id: 'A-1' }), claimed], organizacion);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  const faults = faultsOf(page);

  await page
    .getByText('1 orden tiene una devolución, un reclamo o una cancelación por resolver')
    .waitFor();
  await page.getByRole('link', { name: 'Ver órdenes' }).click();
  const rows = page.locator('table.data tbody tr:not(.space)');
  await rows.getByTitle('Reclamo abierto, Devolución abierta').waitFor();
  assert.equal(await rows.count(), 1);
  assert.deepEqual(await accessibilityFaults(page), []);

  await rows.getByRole('button', { name: 'R-1' }).click();
  await page.getByText('Reclamo abierto. El comprador reclamó').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);
});

test('an alert that has the focus keeps its place and the focus when another one comes again', {
  skip: noBrowser,
}, async (t) => {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const raise = (kind: string, message: string) =>
    instance.app.database
      .within(organizacion)
      .write((scope) => raiseAlert(scope, { kind, subject: kind, message }));
  await raise('older', 'La primera.');
  instance.clock.advance({ minutes: 1 });
  await raise('newer', 'La segunda.');
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  const rows = page.getByRole('region', { name: 'Requiere atención' }).getByRole('listitem');
  await rows.first().getByText('La segunda.').waitFor();
  const settle = rows.first().getByRole('button', { name: 'Marcar como resuelta' });
  await settle.focus();

  instance.clock.advance({ minutes: 1 });
  await raise('older', 'La primera.');
  await instance.record([anOrder({ id: 'A-9' })], organizacion);
  await rows.nth(1).getByText('2 veces').waitFor();

  await rows.first().getByText('La segunda.').waitFor();
  assert.ok(await settle.evaluate((button) => button.matches(':focus')));
  await page.keyboard.press('Enter');
  await page.getByText('Marcaste como resuelta: La segunda.').waitFor();
});

test('a role that may not reconnect an account is told who may', { skip: noBrowser }, async (t) => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const as = { by: owner, role: 'warehouse' } as const;
  const person = await joined(instance, folder, organizacion, as);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '/ajustes' });
  await page.route(/connections\.list/, (route) =>
    route.fulfill({
      json: {
        data: [
          {
            ...{ service: 'amazon', account_id: 'A1', name: 'Amazon', state: 'reauth_required' },
            ...{ state_message: 'El acceso venció. Reconéctala.', last_sync_at: null },
          },
        ],
      },
    }),
  );
  await page.goto(`${instance.app.exchange.publicUrl}/panel/${organizacion}`);
  await page.getByText('lo hace un propietario o administrador').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Reconectar' }).count(), 0);

  // What a role refuses no second try gives.
  await page.goto(`${instance.app.exchange.publicUrl}/panel/${organizacion}/ventas`);
  await page.getByRole('alert').getByText('Tu rol en la organización no permite').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Intentar de nuevo' }).count(), 0);
});

test('an order whose parcels or CFDI cannot be read says so, and not that it has none', {
  skip: noBrowser,
}, async (t) => {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  await instance.record([anOrder({ id: 'A-1' })], organizacion);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '/ordenes' });
  const ofOrder = /(shipments|cfdis)\.of-order/;
  await page.route(ofOrder, (route) => route.fulfill({ status: 500, json: FAILURE }));

  await page.getByRole('button', { name: 'A-1' }).click();
  const drawer = page.getByRole('dialog');
  const noParcels = drawer.getByText('No hay envíos vinculados a esta orden');
  await drawer.getByRole('heading', { name: 'Factura', exact: true }).waitFor();
  await drawer.getByRole('alert').nth(1).waitFor();
  const noCfdi = drawer.getByText('Esta orden no tiene un CFDI vinculado.');
  assert.deepEqual([await noParcels.count(), await noCfdi.count()], [0, 0]);
  assert.deepEqual(await accessibilityFaults(page), []);

  await page.unroute(ofOrder);
  for (const said of [noParcels, noCfdi]) {
    await drawer.getByRole('button', { name: 'Intentar de nuevo' }).first().click();
    await said.waitFor();
  }
  await drawer.getByRole('link', { name: 'Subir su XML en Facturas' }).click();
  await page.getByRole('heading', { level: 1, name: 'Facturas' }).waitFor();
});

test('an order says what its seller earns, or why that is not known', {
  skip: noBrowser,
}, async (t) => {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const coupon = decimal('15.00');
  await instance.record(
    [
      anOrder({
        ...{ id: 'N-1', feesTotal: decimal('98.54'), marketplaceDiscountTotal: null },
        ...{ orderDiscount: coupon, discountTotal: coupon },
        totalIncludes: { shipping: false, tax: false, orderDiscount: false },
      }),
      anOrder({ id: 'N-2', marketplace: 'walmart', accountId: 'W-1' }),
      anOrder({ id: 'N-3', status: 'cancelled', feesTotal: decimal('12.34') }),
    ],
    organizacion,
  );
  const page = await openPanelPage(t, instance, { person, organizacion, path: '/ordenes' });
  const drawer = page.getByRole('dialog');
  const line = (name: string) => drawer.getByRole('row', { name });

  await page.getByRole('button', { name: 'N-1' }).click();
  await line('Neto para ti Se sabrá cuando Mercado Libre te liquide.').waitFor();
  await line('Comisiones −\u2060$98.54 MXN').waitFor();
  const whose = 'no cambia el total; Mercado Libre no informa quién lo paga';
  await line(`Descuento de la orden ${whose} $15.00 MXN`).waitFor();
  const parts = await drawer.getByRole('table').allTextContents();
  const last = parts.at(-1) ?? '';
  assert.ok(parts[0]?.includes('Neto para ti') && !parts[0].includes('Descuento de la orden'));
  assert.ok(last.startsWith('Descuento de la orden') && !last.includes('−'), last);
  await drawer
    .getByText('Los importes de la venta coinciden con el total de Mercado Libre.')
    .waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'N-2' }).click();
  await line('Neto para ti Walmart no informa lo que te toca por cada orden.').waitFor();

  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'N-3' }).click();
  await line('Neto para ti Sin neto: la orden se canceló.').waitFor();
  const announced = 'según la orden; todavía sin movimientos';
  await line(`Comisiones ${announced} −\u2060$12.34 MXN`).waitFor();
});
