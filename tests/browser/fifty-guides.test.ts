import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeSettings, recordProducts } from '../../src/features/warehouse/index.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { connectCarrier, startCarrier } from '../support/paquetexpress.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { CUP, OPERATOR, ORIGIN, stageLine } from '../support/warehouse.ts';
import { countActs } from './support/acts.ts';
import { openPanelPage } from './support/panel-page.ts';

// A morning in the warehouse: every line that is ready, at once.

const LINES = 50;
const MOST_ACTS = 4;

test(`${LINES} guides take ${MOST_ACTS} acts from Inicio`, { skip: noBrowser }, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const { organizacion, join } = await openTeam(instance, folder);
  const carrier = await startCarrier(t, instance.clock);
  await connectCarrier(instance, organizacion, carrier);
  await instance.app.database.within(organizacion).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    await changeSettings(scope, OPERATOR, { origin: ORIGIN });
  });
  for (let line = 0; line < LINES; line++) await stageLine(instance, organizacion, `G-${line}`);
  const person = await join('warehouse');
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  const faults = faultsOf(page);
  const acts = countActs();

  const links = page.getByRole('navigation').getByRole('link', { name: 'Almacén', exact: true });
  await acts.click(links.first());
  // Before its rows are there, nothing can be chosen.
  await page.locator('table .opener').first().waitFor();
  await acts.click(page.getByLabel('Elegir las que se ven'));
  await acts.click(page.getByRole('button', { name: 'Revisar y generar guías' }));
  const dialog = page.getByRole('dialog');
  await acts.click(dialog.getByRole('button', { name: `Generar ${LINES} guías` }));
  await dialog.getByText(`${LINES} guías de ${LINES} líneas`).waitFor();
  t.diagnostic(`${acts.done()} acts, ${acts.seconds()}`);
  assert.equal(acts.done(), MOST_ACTS);
  assert.deepEqual(faults, []);
});
