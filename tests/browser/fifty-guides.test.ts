import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PDFDocument } from '@cantoo/pdf-lib';
import type { Page } from 'playwright-core';
import { changeSettings, recordProducts } from '../../src/features/warehouse/index.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { connectCarrier, startCarrier } from '../support/paquetexpress.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { CUP, OPERATOR, ORIGIN, stageLine } from '../support/warehouse.ts';
import { countActs } from './support/acts.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

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
  await dialog.getByText(`Se generaron las ${LINES} guías.`).waitFor();
  t.diagnostic(`${acts.done()} acts, ${acts.seconds()}`);
  assert.equal(acts.done(), MOST_ACTS);

  const all = dialog.getByRole('button', { name: `Descargar las ${LINES} etiquetas en un PDF` });
  const pages = await pagesOf(await downloaded(page, () => all.click()));
  assert.equal(pages, LINES);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Guías recientes' }).click();
  await dialog.getByText(`Se generaron las ${LINES} guías.`).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole('listitem').getByRole('button').click();
  await all.waitFor();
  assert.deepEqual(faults, []);

  await page.reload();
  await page.route(/assets\/merge-labels-/, (route) => route.abort());
  await all.click();
  await dialog.getByRole('alert').filter({ hasText: 'Tianguis se acabe de actualizar' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Guías recientes' }).click();
  const result = dialog.getByText(`Se generaron las ${LINES} guías.`);
  await result.waitFor();
  await page.route(/guides\.batches/, (route) => route.abort());
  await dialog.getByRole('button', { name: 'Intentar de nuevo' }).waitFor();
  assert.ok(await result.isVisible(), 'what was read stays beside the failure');
});

async function downloaded(page: Page, press: () => Promise<void>): Promise<Uint8Array> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFile(await download.path());
}

async function pagesOf(file: Uint8Array): Promise<number> {
  return (await PDFDocument.load(file)).getPageCount();
}
