import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  changeSettings,
  recordProducts,
  setTracking,
  transferLine,
} from '../../src/features/warehouse/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import type { TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { connectCarrier, startCarrier } from '../support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { CUP, OPERATOR, ORIGIN, stageLine } from '../support/warehouse.ts';
import { EVERY_LOOK, faultsInLooks } from './support/looks.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// More lines than a batch takes: which of them are ready, and which are chosen.

const READY = 52;
const MOST = 50;
const GUIDE = /\/v1\/guia$/;

let instance: TestApp;
let organizacion: string;
let packer: Known;
const ready: string[] = [];

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
  for (let line = 0; line < READY; line++) {
    ready.push(await stageLine(instance, organizacion, `R-${line}`));
    instance.clock.advance({ seconds: 1 });
  }
  await stageLine(instance, organizacion, 'SIN-DESTINO', { destination: null });
  await stageLine(instance, organizacion, 'SIN-PESO', { sku: 'NUEVO', destination: null });
});

test('the lines that are ready are shown apart from those that lack something', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t);
  const faults = faultsOf(page);

  await page.getByRole('button', { name: `Listas para generar guía (${READY})` }).click();
  await page.getByText(`${READY} líneas`, { exact: true }).waitFor();
  await page.getByText('Sin dirección').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Les falta algo (2)' }).click();
  await page.getByText('2 líneas', { exact: true }).waitFor();
  assert.equal(await page.getByText('Sin dirección').count(), 2);
  assert.match(page.url(), /solo=incompletas/);
  const found = await faultsInLooks(page, 'incompletas', { looks: EVERY_LOOK });
  assert.deepEqual([found, faults], [[], []]);
});

test('choosing takes as many as a batch does and says so, and follows what becomes of the lines', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, '?solo=listas');
  const faults = faultsOf(page);

  await page.getByLabel('Elegir las que se ven').click();

  await page.getByText(`${MOST} líneas elegidas.`).waitFor();
  await page.getByText(`Se tomaron ${MOST} de ${READY}: un lote lleva hasta ${MOST}.`).waitFor();
  const found = await faultsInLooks(page, 'elegidas');
  await page.locator('#scan').fill('R-51');
  await page.keyboard.press('Enter');
  await page.getByText(`No se agregó: la selección ya tiene ${MOST} líneas`).waitFor();

  const [gone = ''] = ready;
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      setTracking(scope, OPERATOR, gone, { trackingNumber: '1Z999', carrier: 'Estafeta' }),
    );
  // A new order moves the organisation's clock, which the screen follows.
  await stageLine(instance, organizacion, 'R-NUEVA');
  await page.getByText('Una línea salió de la selección: ya no espera guía.').waitFor();
  await page.getByText(`${MOST - 1} líneas elegidas.`).waitFor();
  await page.reload();
  await page.getByText(`${MOST - 1} líneas elegidas.`).waitFor();
  await page.getByRole('button', { name: 'Quitar selección' }).click();
  await page.locator('.chosen-bar').waitFor({ state: 'detached' });
  assert.deepEqual([found, faults], [[], []]);
});

test('a number that the network lost is named, and looked up when it is tried again', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t);
  const looked = /lines\.list\?.*number=/;
  await page.route(looked, (route) => route.abort());
  for (const number of ['R-3', 'R-4']) {
    await page.locator('#scan').fill(number);
    await page.keyboard.press('Enter');
  }
  const failed = page.getByRole('alert').filter({ hasText: 'No se buscaron 2 números: R-3, R-4' });
  await failed.waitFor();
  await page.unroute(looked);
  await failed.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await page.getByRole('alert').filter({ hasText: 'No se buscó R-4' }).waitFor();
  await page.getByText('1 línea elegida.').waitFor();
  await page.locator('#scan:focus').waitFor();
  await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await page.getByText('2 líneas elegidas.').waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('lines with a guide are chosen, by hand or by scanning, and leave together', {
  skip: noBrowser,
}, async (t) => {
  const leaving: string[] = [];
  for (const order of ['SALE-1', 'SALE-2', 'SALE-3'])
    leaving.push(await stageLine(instance, organizacion, order));
  await instance.app.database.within(organizacion).write(async (scope) => {
    for (const [at, id] of leaving.entries())
      await setTracking(scope, OPERATOR, id, {
        trackingNumber: `SALIDA-${at}`,
        carrier: 'Estafeta',
      });
  });
  const path = '/almacen?parte=con-guia';
  const page = await openPanelPage(t, instance, { person: packer, organizacion, path });
  const faults = faultsOf(page);
  const row = (order: string) => page.getByLabel(`Elegir ${order}`);
  await row('SALE-1').waitFor();

  for (const number of ['SALIDA-0', 'SALE-2']) {
    await page.locator('#scan').fill(number);
    await page.keyboard.press('Enter');
    await page.getByText('Agregada a la selección.').waitFor();
  }
  await page.getByText('2 líneas elegidas.').waitFor();
  await page.locator('#scan').fill('SALIDA-1');
  await page.keyboard.press('Enter');
  const again = page.locator('.scan-again', { hasText: 'Ya está en la selección' });
  await again.getByText('Guía SALIDA-1').waitFor();
  await again.getByText('Espera desde').waitFor();
  assert.equal(await again.getByText('Agregada').count(), 0);
  const found = await faultsInLooks(page, 'por salir');
  await page.getByRole('button', { name: 'Transferir a envíos' }).click();
  const dialog = page.getByRole('dialog', { name: '¿Transferir 2 líneas a envíos?' });
  await dialog.getByText('SALE-1, SALE-2').waitFor();
  await dialog.getByRole('button', { name: 'Transferir a envíos' }).click();

  await page.getByText('2 líneas se transfirieron a envíos.').waitFor();
  await page.locator('#scan:focus').waitFor();
  assert.equal(await page.locator('.scan-answer').count(), 0, 'what was scanned has left');
  await row('SALE-1').waitFor({ state: 'detached' });
  await row('SALE-3').waitFor();
  await page.getByRole('button', { name: 'Transferidas' }).click();
  await page.getByRole('button', { name: /SALE-2/ }).waitFor();

  // Wherever it is scanned, a line with a guide is chosen among those that leave.
  await page.getByRole('button', { name: 'Sin guía' }).click();
  await page.keyboard.type('SALIDA-2');
  await page.keyboard.press('Enter');
  await page.locator('.scan-good', { hasText: 'Agregada a la selección.' }).waitFor();
  await page.locator('button[aria-pressed="true"]', { hasText: 'Con guía' }).waitFor();
  await page.getByText('1 línea elegida.').waitFor();
  await page.keyboard.type('SALIDA-0');
  await page.keyboard.press('Enter');
  const left = page.locator('.scan-warn', { hasText: 'Transferida a envíos' });
  await left.getByText('Desde').waitFor();
  await page.getByRole('button', { name: 'Ver línea' }).click();
  const line = page.getByRole('dialog', { name: 'Línea de SALE-1' });
  await line.getByText('escrito a mano').waitFor();
  assert.equal(await line.getByRole('link', { name: 'Ver en Envíos' }).count(), 0);
  assert.deepEqual([found, faults], [[], []]);
});

test('Inicio leads to the parcels that have a guide', { skip: noBrowser }, async (t) => {
  const page = await openPanelPage(t, instance, { person: packer, organizacion, path: '' });
  const faults = faultsOf(page);
  let ready = 0;
  await page.route(/warehouse\.count/, async (route) => {
    const response = await route.fetch();
    const counts = { ...(await response.json()), with_guide: ready };
    await route.fulfill({ response, json: counts });
  });
  const card = page.getByRole('region', { name: 'Paquetes por preparar' });
  await page.reload();
  await card.getByText('0 con guía, listos para salir').waitFor();
  assert.equal(await card.getByRole('link').count(), 1);
  ready = 1;
  await page.reload();
  await card.getByRole('link', { name: '1 con guía, listo para salir' }).click();
  await page.locator('button[aria-pressed="true"]', { hasText: 'Con guía' }).waitFor();
  assert.deepEqual(faults, []);
});

test('with two accounts of the carrier a scan chooses its line, and the review asks for the account', {
  skip: noBrowser,
}, async (t) => {
  const second = await startCarrier(t, instance.clock, { username: 'TIENDA02' });
  await connectCarrier(instance, organizacion, second);
  const lineId = await stageLine(instance, organizacion, 'DOS-CUENTAS');
  const page = await opened(t);
  const faults = faultsOf(page);
  await page.getByText('elige con cuál al revisar las guías').waitFor();
  assert.equal(
    await page.getByRole('main').getByRole('link', { name: 'Ir a Conexiones' }).count(),
    0,
  );

  await page.locator('#scan').fill('DOS-CUENTAS');
  await page.keyboard.press('Enter');
  await page.getByText('Agregada a la selección.').waitFor();
  await page.getByRole('button', { name: 'Revisar y generar guías' }).click();
  const account = page.getByRole('dialog').getByLabel('Cuenta de la paquetería');
  await account.waitFor();
  assert.deepEqual([await accessibilityFaults(page), faults], [[], []]);

  // A look at a line leaves the account as it was chosen, and a new page does.
  await account.selectOption('TIENDA02');
  await page.waitForURL(/cuenta=TIENDA02/);
  await page.goto(page.url().replace('lote=revision', `linea=${lineId}&desde=revision`));
  await page.getByRole('button', { name: 'Volver a la revisión de guías' }).click();
  await page.waitForURL(/lote=revision/);
  assert.equal(await account.inputValue(), 'TIENDA02');
  await page.getByRole('button', { name: 'Generar 1 guía' }).click();
  await page.getByText('Se generó la guía.').waitFor();
  assert.equal(second.requests.filter(({ path }) => GUIDE.test(path)).length, 1);
});

test('whether lines left is not claimed when the answer is lost, and the note ends with the lines', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stageLine(instance, organizacion, 'PERDIDA-1');
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      setTracking(scope, OPERATOR, lineId, { trackingNumber: '1ZP', carrier: 'Estafeta' }),
    );
  const path = '/almacen?parte=con-guia';
  const page = await openPanelPage(t, instance, { person: packer, organizacion, path });
  await page.getByLabel('Elegir PERDIDA-1').click();
  const send = page.getByRole('button', { name: 'Transferir a envíos' });
  const unknown = page.getByRole('alert').filter({ hasText: 'No sabemos si se transfirieron' });

  await page.route(/lines\.transfer-all/, (route) => route.abort());
  await send.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Transferir a envíos' }).click();
  await unknown.waitFor();
  assert.equal(await page.getByText('No se transfirieron').count(), 0);
  await instance.app.database
    .within(organizacion)
    .write((scope) => transferLine(scope, OPERATOR, lineId));
  await stageLine(instance, organizacion, 'PERDIDA-2');
  await page.getByText('Una línea salió de la selección: ya no está por salir.').waitFor();
  await unknown.waitFor({ state: 'detached' });
});

test('a number that is scanned over an open line is looked for, and the line makes room', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t);
  const faults = faultsOf(page);
  await page.locator('table .opener').first().click();
  await page.getByRole('dialog').locator(':focus').waitFor();
  await page.keyboard.type('R-5', { delay: 5 });
  await page.keyboard.press('Enter');
  await page.locator('.scan-answer').getByText('R-5').first().waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

async function opened(t: Parameters<typeof openPanelPage>[0], search = ''): Promise<Page> {
  const path = `/almacen${search}`;
  const page = await openPanelPage(t, instance, { person: packer, organizacion, path });
  await page.locator('table .opener').first().waitFor();
  await page.getByRole('button', { name: /^Listas para generar guía \(\d+\)$/ }).waitFor();
  return page;
}
