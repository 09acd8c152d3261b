import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { openPanelPage } from './support/panel-page.ts';

// A browser holds itself for offline where its network changes, also on a machine that reaches the
// server all the same.

test('what is saved while the browser holds itself for offline is sent at once, and other screens are read', {
  skip: noBrowser,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(WHOLE_FILE);
  const { owner, organizacion } = await openTeam(instance, folder);
  const page = await openPanelPage(t, instance, {
    person: owner,
    organizacion,
    path: '/ajustes',
  });
  const faults = faultsOf(page);
  const name = page.getByLabel('Nombre', { exact: true });
  await name.waitFor();

  await page.evaluate("dispatchEvent(new Event('offline'))");
  await name.fill('Tienda sin red');
  await name.press('Enter');

  await page.getByRole('banner').getByText('Tienda sin red').first().waitFor();
  await page.getByRole('link', { name: 'Conexiones' }).first().click();
  await page.getByRole('heading', { name: 'Conexiones', level: 1 }).waitFor();
  await page.getByText('Mercado Libre').first().waitFor();
  assert.deepEqual(faults, []);
});
