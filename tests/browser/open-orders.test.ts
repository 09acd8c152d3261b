import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// Inicio leads to the orders whose buyers wait, and each says what is open.

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

  await page.getByText('1 orden tiene una devolución o un reclamo abierto').waitFor();
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
