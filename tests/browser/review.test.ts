import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import {
  changeSettings,
  recordProducts,
  setDestination,
} from '../../src/features/warehouse/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { connectCarrier, startCarrier } from '../support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { ADDRESS, CUP, linesOf, OPERATOR, ORIGIN, stageLine } from '../support/warehouse.ts';
import { EVERY_LOOK, faultsInLooks } from './support/looks.ts';
import { openPanelPage } from './support/panel-page.ts';

// What a review and a result say of their lines, while other people work on them, too.

let instance: TestApp;
let organizacion: string;
let packer: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  organizacion = team.organizacion;
  packer = await team.join('warehouse');
  await connectCarrier(instance, organizacion, await startCarrier(WHOLE_FILE, instance.clock));
  await instance.app.database.within(organizacion).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    await changeSettings(scope, OPERATOR, { origin: ORIGIN });
  });
});

test('a review counts anew when another person mends a line', { skip: noBrowser }, async (t) => {
  await stageLine(instance, organizacion, 'V-1');
  const lineId = await stageLine(instance, organizacion, 'V-2', { destination: null });
  const { dialog } = await review(t, ['V-1', 'V-2']);
  await dialog.getByRole('heading', { name: '1 no está lista' }).waitFor();

  await instance.app.database
    .within(organizacion)
    .write((scope) => setDestination(scope, OPERATOR, lineId, ADDRESS));

  await dialog.getByRole('heading', { name: '2 listas' }).waitFor();
  await dialog.getByRole('button', { name: 'Generar 2 guías' }).waitFor();
  assert.equal(await dialog.getByText('no está lista').count(), 0);
});

test('a SKU that several lines wait for is named once, with the way to its measures', {
  skip: noBrowser,
}, async (t) => {
  for (const order of ['K-1', 'K-2', 'K-3'])
    await stageLine(instance, organizacion, order, { sku: 'SIN-MEDIDAS' });
  await stageLine(instance, organizacion, 'K-4', { sku: 'SUYO' });
  const { page, dialog } = await review(t, ['K-1', 'K-2', 'K-3', 'K-4']);
  const faults = faultsOf(page);

  await dialog.getByText('Faltan el peso y las medidas de SIN-MEDIDAS, en 3 líneas.').waitFor();
  const row = dialog.getByRole('listitem').filter({ hasText: 'K-2' });
  await row.getByText('Espera el peso o las medidas de SIN-MEDIDAS (más arriba).').waitFor();
  await dialog.getByText('Faltan el peso y las medidas de SUYO.').waitFor();
  assert.equal(await dialog.getByRole('link', { name: 'Escribir en Inventario' }).count(), 2);
  const found = await faultsInLooks(page, 'revisión', { looks: EVERY_LOOK });
  assert.deepEqual([found, faults], [[], []]);
});

test('a result names a pack as the list does, and says which lines had a guide before', {
  skip: noBrowser,
}, async (t) => {
  const pack = ['B-1', 'B-2'].map((id) => anOrder({ id, packId: 'PACK-77' }));
  await instance.record(pack, organizacion);
  const [line] = await linesOf(instance, { number: 'PACK-77' }, organizacion);
  await instance.app.database
    .within(organizacion)
    .write((scope) => setDestination(scope, OPERATOR, line?.id ?? '', ADDRESS));
  const { page: first, dialog } = await review(t, ['PACK-77']);
  const { page: second } = await review(t, ['PACK-77']);
  const generate = { name: 'Generar 1 guía' };
  await second.getByRole('button', generate).waitFor();

  await dialog.getByRole('button', generate).click();
  await dialog.getByText('Se generó la guía.', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'PACK-77', exact: true }).waitFor();
  await first.getByText('B-1').waitFor({ state: 'detached' });

  // The other person's review has learned of the guide by itself.
  await second.getByText('Todas estas líneas ya tienen guía: no hay nada por generar.').waitFor();
  await second.getByRole('heading', { name: '1 ya tiene guía' }).waitFor();
});

async function review(t: TestContext, names: readonly string[]) {
  const page = await openPanelPage(t, instance, { person: packer, organizacion, path: '/almacen' });
  for (const name of names)
    await page.getByRole('checkbox', { name: `Elegir ${name}`, exact: true }).check();
  await page.getByRole('button', { name: 'Revisar y generar guías' }).click();
  return { page, dialog: page.getByRole('dialog') };
}
