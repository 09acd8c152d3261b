import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// A person whose organisation is empty: an example to look at, and forms that are half filled.

test('a new organisation opens an example, and one click leads back to its own', {
  skip: noBrowser,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(WHOLE_FILE);
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  const faults = faultsOf(page);
  await page.getByRole('button', { name: 'Ver un ejemplo con órdenes' }).click();
  await page.getByText('Estás viendo órdenes de ejemplo').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  const example = page.url();
  assert.ok(!example.includes(organizacion));

  await page.goto(`${example}/ordenes?estado=paid`);
  await page.getByText('EJEMPLO-1001').first().waitFor();
  await page.getByRole('button', { name: 'Guardar vista' }).click();
  await page.getByLabel('Nombre de la vista').fill('Por empacar');
  await page.reload();
  await page.getByRole('button', { name: 'Guardar vista' }).click();
  assert.equal(await page.getByLabel('Nombre de la vista').inputValue(), 'Por empacar');

  await page.getByRole('button', { name: 'Eliminar el ejemplo' }).click();
  await page.getByRole('button', { name: 'Ver un ejemplo con órdenes' }).waitFor();
  assert.ok(page.url().includes(organizacion));
  assert.deepEqual(faults, []);
});
