import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Paquetexpress } from '../../simulators/paquetexpress/index.ts';
import {
  changeSettings,
  type Line,
  lineById,
  recordProducts,
  setDestination,
  setTracking,
} from '../../src/features/warehouse/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { soon } from '../spec/support/soon.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { faultsOf, noBrowser, type openBrowser } from '../support/chromium.ts';
import { connectOwnFleet } from '../support/own-fleet.ts';
import { connectCarrier, startCarrier } from '../support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { ADDRESS, CUP, OPERATOR, ORIGIN, stageLine } from '../support/warehouse.ts';
import { EVERY_LOOK, faultsInLooks, setLook } from './support/looks.ts';
import { accessibilityFaults, openPanelPage, show, whileAsked } from './support/panel-page.ts';

// A day in the warehouse: scanning, editing together, guides, labels, «En camino» and shipments.

const DESKTOP = { width: 1366, height: 768 };
const HOSTILE = '<img src=x onerror=alert(1)> ‮abc {{7*7}} 🙂';

let instance: TestApp;
let organizacion: string;
let carrier: Paquetexpress;
let owner: Known;
let packer: Known;
let supervisor: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  packer = await team.join('warehouse');
  supervisor = await team.join('supervisor');
  carrier = await startCarrier(WHOLE_FILE, instance.clock);
  await connectCarrier(instance, organizacion, carrier);
  await connectOwnFleet(WHOLE_FILE, instance, {
    organizationId: organizacion,
    orderId: '2000000000000900',
  });
  await instance.app.database.within(organizacion).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    const own_fleet = [{ marketplace: 'mercado_libre', account_id: 'FLOTA' }];
    await changeSettings(scope, OPERATOR, { origin: ORIGIN, own_fleet });
  });
});

test('scan, scan, generate: the field keeps the focus, and two guides take four acts', {
  skip: noBrowser,
}, async (t) => {
  const first = await stagedLine('G-1');
  await stagedLine('G-2');
  await stagedLine('G-3', { destination: null });
  const page = await open(t, packer);
  const faults = faultsOf(page);
  await show(page, addressOf('almacen'));
  for (const [number, word] of [
    ['G-1', 'Lista'],
    ['G-2', 'Lista'],
    ['G-1', 'Ya está en la selección'],
    ['G-3', 'Falta dirección'],
    ['G-0', 'No hay ninguna línea con el número G-0'],
  ] as const) {
    await page.keyboard.type(number);
    await page.keyboard.press('Enter');
    await page.locator('.scan-word', { hasText: word }).waitFor();
    if (word === 'Lista') await page.getByText('Agregada a la selección.').waitFor();
    await page.locator('#scan:focus').waitFor();
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Almacén' }).first().click();
  await scanElsewhere(page, '4001');
  await page.getByRole('checkbox', { name: 'Elegir G-3' }).focus();
  await scanElsewhere(page, '4002');
  const asked = carrier.requests.length;
  await page.getByRole('button', { name: 'Revisar y generar guías' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Cada guía tiene costo.').waitFor();
  await dialog.getByText('pide a un administrador que lo cambie').waitFor();
  for (const text of [
    `Para ${ADDRESS.name}`,
    `${ADDRESS.street} ${ADDRESS.number}, ${ADDRESS.colony}`,
    `C.P. ${ADDRESS.zipcode}, ${ADDRESS.city}, ${ADDRESS.state}`,
    'Lleva 2 × Taza azul',
  ])
    await dialog.getByText(text, { exact: true }).first().waitFor();
  await page.getByText('2 líneas elegidas').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.equal(carrier.requests.length, asked, 'a dry run asks the carrier for nothing');
  await dialog.getByRole('button', { name: 'Generar 2 guías' }).click();
  await dialog.getByText('Se generaron las 2 guías.').waitFor();
  const downloading = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Descargar etiqueta en PDF' }).first().click();
  const file = (await downloading).suggestedFilename();
  assert.match(file, /\.pdf$/);
  await dialog.getByText(`Se descargó ${file}, con 1 etiqueta.`).waitFor();
  const both = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Descargar las 2 etiquetas ZPL' }).click();
  const files = (await both).suggestedFilename();
  assert.match(files, /^guias-\d{4}-\d\d-\d\d-\d{4}-2\.zpl$/);
  await dialog.getByText(`Se descargó ${files}, con 2 etiquetas.`).waitFor();
  await dialog.getByText(/^Las pidió /).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#scan:focus').waitFor();
  await page.goBack();
  await page.reload();
  await dialog.getByText('Se generaron las 2 guías.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  const phone = await open(t, owner, { viewport: { width: 360, height: 800 } });
  await show(phone, page.url());
  await phone
    .getByText(/^Saldo /)
    .first()
    .waitFor();
  const details = "document.querySelector('.details')";
  const beyond = await phone.evaluate(`${details}.scrollWidth - ${details}.clientWidth`);
  assert.equal(beyond, 0, 'costs and balances fit a phone');
  await showLine(page, first);
  const shipment = dialog.getByRole('link', { name: 'Ver en Envíos' });
  assert.match((await shipment.getAttribute('href')) ?? '', /\/envios\?numero=\d+$/);
  await dialog.getByText('pide que la cancele a un supervisor de almacén').waitFor();
  assert.deepEqual(faults, []);
});

test('a number that was scanned stays in one line on a phone', { skip: noBrowser }, async (t) => {
  const page = await open(t, packer, { viewport: { width: 390, height: 844 } });
  await show(page, addressOf('almacen'));
  const heights: number[] = [];
  for (const number of ['7', '827000000000000001', '8270000000000000010000000000000000001']) {
    await page.locator('#scan').fill(number);
    await page.keyboard.press('Enter');
    const shown = page.locator('.scan-number').and(page.getByTitle(number, { exact: true }));
    await shown.waitFor();
    heights.push((await shown.boundingBox())?.height ?? 0);
  }
  assert.equal(new Set(heights).size, 1, `${heights}`);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
});

test('a parcel of an order whose cancellation was requested says so before it is sent', {
  skip: noBrowser,
}, async (t) => {
  const order = anOrder({ id: 'C-1', marketplace: 'vtex' });
  await instance.record([{ ...order, tags: ['cancellation_requested'] }], organizacion);
  const page = await open(t, packer);
  await show(page, addressOf('almacen'));

  const row = page.getByRole('row', { name: /C-1/ });
  await row.getByText('Piden cancelar').waitFor();
  await row.getByText('C-1').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Cancelación solicitada\. .* confírmalo en VTEX\.$/).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a line that lacks something is named, repaired from there, and tried again', {
  skip: noBrowser,
}, async (t) => {
  await stagedLine('R-1', { destination: null });
  const page = await open(t, packer);
  await show(page, addressOf('almacen'));
  await page.getByRole('checkbox', { name: 'Elegir R-1' }).check();
  await page.getByRole('button', { name: 'Revisar y generar guías' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Falta la dirección de destino.').waitFor();
  await dialog.getByText('Ninguna de estas líneas está lista.').waitFor();
  await dialog.getByRole('button', { name: 'Escribir dirección' }).click();
  await fillAddress(page, { zipcode: '7600' });
  await dialog.getByRole('button', { name: 'Guardar cambios' }).click();
  await dialog.getByText('Este dato debe tener cinco dígitos.').waitFor();
  assert.equal(await dialog.getByLabel('Código postal').getAttribute('aria-invalid'), 'true');
  await dialog.getByLabel('Código postal').fill('76000');
  await dialog.getByRole('button', { name: 'Guardar cambios' }).click();
  await dialog.getByText('Guardado', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Volver a la revisión de guías' }).click();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).click();
  await dialog.getByText('Se generó la guía.').waitFor();
});

test('a review says all that a line lacks, and the weight is written and come back from', {
  skip: noBrowser,
}, async (t) => {
  await stagedLine('W-1');
  const both = await stagedLine('W-2', { sku: 'SKU-NUEVO', title: HOSTILE, destination: null });
  const page = await open(t, packer);
  const faults = faultsOf(page);
  await show(page, addressOf('almacen'));
  for (const order of ['W-1', 'W-2'])
    await page.getByRole('checkbox', { name: `Elegir ${order}` }).check();
  await page.getByRole('button', { name: 'Revisar y generar guías' }).click();
  const dialog = page.getByRole('dialog');
  const missing = dialog.getByRole('listitem').filter({ hasText: 'W-2' });
  await missing.getByText('Faltan el peso y las medidas de SKU-NUEVO.').waitFor();
  await missing.getByText('Falta la dirección de destino.').waitFor();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).waitFor();
  const found = await faultsInLooks(page, 'revisión', { looks: EVERY_LOOK, mayBeEnglish: true });

  await setAddress(both, {});
  await missing.getByRole('link', { name: 'Escribir en Inventario' }).click();
  for (const [label, number] of [
    ['Peso', '1'],
    ['Largo', '20'],
    ['Ancho', '10'],
    ['Alto', '5'],
  ] as const)
    await dialog.getByLabel(label).fill(number);
  await dialog.getByRole('button', { name: 'Guardar' }).click();
  await dialog.getByText('Guardado').first().waitFor();
  await dialog.getByRole('link', { name: 'Volver a la revisión de guías' }).click();
  await dialog.getByRole('button', { name: 'Generar 2 guías' }).click();
  await dialog.getByText('Se generaron las 2 guías.').waitFor();
  assert.deepEqual([found, faults], [[], []]);
});

test('from the form of a weight a person comes back to the line, in the same tab and filter', {
  skip: noBrowser,
}, async (t) => {
  await stagedLine('W-3', { sku: 'SKU-SIN-PESO' });
  const page = await open(t, packer);
  await show(page, addressOf('almacen?solo=incompletas'));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'W-3', exact: true }).click();
  await dialog.getByRole('link', { name: 'Escribir en Inventario' }).click();
  await dialog.getByRole('link', { name: 'Volver a la línea en Almacén' }).click();
  await dialog.getByRole('link', { name: 'Escribir en Inventario' }).waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get('solo'), searchParams.has('linea')], ['incompletas', true]);
});

test('the result of a batch is shown also where its line is no longer ready in the next plan', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('P-1');
  const page = await open(t, packer);
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Generar guía' }).click();
  const generate = dialog.getByRole('button', { name: 'Generar 1 guía' });
  await generate.waitFor();
  // After the request the screen is fetched again: the plan once the carrier sold the guide, the list
  // once the dialog followed.
  const isOver = dialog.getByText(/Todas estas líneas ya tienen guía|Se generó la guía\./);
  await page.route('**/guides.plan?*', async (route) => {
    await soon(async () => assert.notEqual((await lineOf(lineId)).trackingNumber, null), 60_000);
    await route.continue();
  });
  await page.route('**/lines.list?*', async (route) => {
    await isOver.waitFor();
    await route.continue();
  });
  await generate.click();
  await dialog.getByText('Se generó la guía.').waitFor();
});

test('what the carrier refuses says why, and is tried again from the result', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('F-1');
  const page = await open(t, packer);
  await setAddress(lineId, { zipcode: '23999' });
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Generar guía' }).click();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).click();
  await dialog.getByText('No se generó ninguna guía.').waitFor();
  await dialog.getByText(/no llega al código postal/).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await setAddress(lineId, {});
  await dialog.getByRole('button', { name: 'Reintentar la que falló' }).click();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).click();
  await dialog.getByText('Se generó la guía.').waitFor();
});

test('of two people who edit one line the second gets a conflict, and keeps what was typed', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('E-1');
  const [first, second] = [await open(t, packer), await open(t, supervisor)];
  for (const page of [first, second]) await showLine(page, lineId);
  const street = (page: Page) => page.getByRole('dialog').getByLabel('Calle');
  await street(second).fill('Calle de la segunda');
  await street(first).fill('Calle de la primera');
  await first.getByRole('button', { name: 'Guardar cambios' }).click();
  await first.getByText('Guardado', { exact: true }).waitFor();

  // The page may know the change before the click or after: both ways the person sees the conflict.
  await second.getByRole('button', { name: 'Guardar cambios' }).click({ force: true });
  await second.getByText('Otra persona cambió esta línea').waitFor();
  await second.getByText('Guardado ahora: Calle de la primera').waitFor();
  assert.equal(await street(second).inputValue(), 'Calle de la segunda');
  assert.deepEqual(await accessibilityFaults(second), []);
  await second.reload();
  await second.getByText('Guardado ahora: Calle de la primera').waitFor();
  await second.getByRole('button', { name: 'Guardar lo que escribí' }).click();
  await second.getByText('Guardado', { exact: true }).waitFor();
  await second.reload();
  await street(second).waitFor();
  assert.equal(await street(second).inputValue(), 'Calle de la segunda');
});

test('«En camino» is offered to supervisors, and shows the state that was read back', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('2000000000000900', { accountId: 'FLOTA' });
  const [asPacker, page] = [await open(t, packer), await open(t, supervisor)];
  await showLine(asPacker, lineId);
  await asPacker.getByRole('dialog').getByText('Flota propia').waitFor();
  const offered = asPacker.getByRole('dialog').getByRole('button', { name: 'En camino' });
  assert.equal(await offered.count(), 0);

  await showLine(page, lineId);
  await page.getByRole('dialog').getByRole('button', { name: 'En camino' }).click();
  const confirm = page.getByRole('dialog', { name: '¿Marcar «En camino»?' });
  assert.deepEqual(await accessibilityFaults(page), []);
  await confirm.getByRole('button', { name: 'En camino' }).click();
  await page.getByText('Listo: la línea está en camino, y Zipnova ya lo muestra.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('an attempt without an answer is settled on its line, and the line is transferred', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('U-1');
  carrier.faults.next({ kind: 'server_error', match: /rad\/v1\/guia\b/ });
  carrier.faults.next({ kind: 'garbage', match: /consulta/, times: 20 });
  const page = await open(t, packer);
  let asOf = '2026-11-20T00:00:00.000001Z';
  await page.route('**/clock.read*', (route) => route.fulfill({ json: { as_of: asOf } }));
  await page.route('**/lines.transfer', async (route) => {
    asOf = '2026-11-20T00:00:00.000002Z';
    await route.continue();
  });
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Generar guía' }).click();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).click();
  await dialog.getByText('Sin respuesta de la paquetería').waitFor();
  await show(page, addressOf('almacen?parte=sin-respuesta'));
  await page.getByRole('button', { name: 'U-1', exact: true }).click();
  await dialog.getByLabel('Rastreo que tiene la paquetería').fill('900100');
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole('button', { name: 'Guardar rastreo' }).click();
  await dialog.getByRole('button', { name: 'Transferir a envíos' }).click();
  await dialog.getByText('La línea se transfirió a envíos.').waitFor();
  await page.waitForResponse(/clock\.read/);
  await page.waitForResponse(/clock\.read/);
  const news = page.locator('.changes', { hasText: 'Actualizar lista' });
  assert.equal(await news.count(), 0, 'a change of one’s own is no news');
  await dialog.getByText('Transferida a envíos').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('h1:focus').waitFor();
});

test('the button of a line keeps the focus while it works, and is then the way back', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('K-1');
  const typed = { trackingNumber: '900300', carrier: 'Mensajería' };
  await instance.app.database
    .within(organizacion)
    .write((scope) => setTracking(scope, OPERATOR, lineId, typed));
  const page = await open(t, supervisor);
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  const focused = dialog.locator('button:focus');
  const send = focused.and(dialog.getByRole('button', { name: 'Transferir a envíos' }));
  const back = focused.and(dialog.getByRole('button', { name: 'Regresar a preparación' }));
  await dialog.getByRole('button', { name: 'Transferir a envíos' }).focus();
  await whileAsked(page, 'lines.transfer', () => send.waitFor());
  await dialog.getByText('La línea se transfirió a envíos.').waitFor();
  await back.waitFor();
  await whileAsked(page, 'lines.undo-transfer', () => back.waitFor());
  await dialog.getByText('La línea regresó a preparación.').waitFor();
  await send.waitFor();

  // The second click of a double click comes to the button when it is the way back already.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url().split('/').at(-1) ?? ''));
  await send.click();
  await back.hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await page.waitForResponse(/clock\.read/);
  await back.waitFor();
  assert.ok(asked.includes('lines.transfer') && !asked.includes('lines.undo-transfer'));
});

test('the typed number of a cancelled line is removed where it is seen', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('N-1');
  const typed = { trackingNumber: '900200', carrier: 'Mensajería' };
  await instance.app.database
    .within(organizacion)
    .write((scope) => setTracking(scope, OPERATOR, lineId, typed));
  const later = instance.clock.now().add({ minutes: 1 });
  const cancelled = { status: 'cancelled', changedAt: later, fetchedAt: later } as const;
  await instance.record([anOrder({ id: 'N-1', ...cancelled })], organizacion);
  const page = await open(t, packer);
  const faults = faultsOf(page);
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('900200').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  await dialog.getByRole('button', { name: 'Quitar el número de rastreo' }).click();

  await dialog.getByText('Se quitó el número de rastreo.').waitFor();
  assert.equal((await lineOf(lineId)).trackingNumber, null);
  assert.deepEqual(faults, []);
});

test('a parcel that was transferred says so among the shipments, whose status is the carrier’s', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('T-1');
  const page = await open(t, packer);
  const faults = faultsOf(page);
  await showLine(page, lineId);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Generar guía' }).click();
  await dialog.getByRole('button', { name: 'Generar 1 guía' }).click();
  await dialog.getByText('Se generó la guía.').waitFor();
  await showLine(page, lineId);
  await dialog.getByRole('button', { name: 'Transferir a envíos' }).click();
  await dialog.getByText('La línea se transfirió a envíos.').waitFor();
  const { trackingNumber, guideNumber } = await lineOf(lineId);
  assert.ok(trackingNumber && guideNumber && guideNumber !== trackingNumber);
  const numberBy = (name: string) => dialog.locator(`dt:text-is("${name}") + dd code`);
  assert.equal(await numberBy('Rastreo').innerText(), trackingNumber);
  assert.equal(await numberBy('Guía').innerText(), guideNumber);
  await dialog.getByRole('link', { name: 'T-1', exact: true }).click();
  await page.getByRole('dialog', { name: 'Orden T-1' }).waitFor();
  await page.goBack();
  await dialog.getByRole('link', { name: 'Ver en Envíos' }).click();
  await page.getByRole('button', { name: trackingNumber }).click();
  await dialog
    .getByText(
      /^Transferido a envíos: .*[ap]\.m\. La paquetería todavía no informa que lo tiene\.$/,
    )
    .waitFor();
  const left = dialog.getByRole('listitem').filter({ hasText: 'Transferido a envíos' });
  await left.getByText('Lo registró Ana Robles').waitFor();
  await dialog.getByText('En preparación').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);
});

test('hostile text is text in each scheme and width, in the list and in a line', {
  skip: noBrowser,
}, async (t) => {
  const lineId = await stagedLine('H-1', { title: HOSTILE });
  const page = await open(t, packer);
  const faults = faultsOf(page);
  const dialogs: string[] = [];
  page.on('dialog', (one) => {
    dialogs.push(one.message());
    void one.dismiss();
  });
  const found: string[] = [];
  for (const address of ['almacen', `almacen?linea=${lineId}`]) {
    await show(page, addressOf(address));
    for (const look of EVERY_LOOK) {
      await setLook(page, look);
      await page.getByText(HOSTILE).first().waitFor({ state: 'attached' });
    }
    found.push(...(await faultsInLooks(page, address, { looks: EVERY_LOOK, mayBeEnglish: true })));
  }
  assert.deepEqual([found, dialogs, faults], [[], [], []]);
});

test('a list that fails says so with the id of the request, and an empty one leads on', {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t, owner);
  let body: object = { error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' } };
  let status = 500;
  await page.route(/(lines|shipments)\.(list|orphans)/, (route) =>
    route.fulfill({ status, headers: { 'x-request-id': 'req_de_prueba' }, json: body }),
  );
  for (const [address, next] of [
    ['almacen', 'Ver órdenes'],
    ['almacen?parte=en-espera', 'Ver las que están sin guía'],
  ] as const) {
    status = 500;
    body = { error: { code: 'internal_error', message: 'Algo falló de nuestro lado.' } };
    await page.goto(addressOf(address));
    const alert = page.getByRole('alert');
    await alert.getByText('req_de_prueba').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    status = 200;
    body = { data: [], next_cursor: null };
    await alert.getByRole('button', { name: 'Intentar de nuevo' }).click();
    await page.getByRole('main').getByText(next, { exact: true }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
  }
});

function addressOf(path: string): string {
  return `${instance.app.exchange.publicUrl}/panel/${organizacion}/${path}`;
}

function open(
  t: TestContext,
  person: Known,
  options: Parameters<typeof openBrowser>[1] = { viewport: DESKTOP },
): Promise<Page> {
  return openPanelPage(t, instance, { person, organizacion, path: '' }, options);
}

/** Types a number where the field of scanning has no focus. */
async function scanElsewhere(page: Page, number: string): Promise<void> {
  assert.equal(await page.locator('#scan:focus').count(), 0);
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await page.getByText(`No hay ninguna línea con el número ${number}`).waitFor();
}

async function showLine(page: Page, lineId: string): Promise<void> {
  await show(page, addressOf(`almacen?linea=${lineId}`));
  await page.getByRole('dialog').getByText('Historial').waitFor();
}

async function fillAddress(page: Page, other: Partial<typeof ADDRESS>): Promise<void> {
  const given = { ...ADDRESS, ...other };
  const typed = {
    'Nombre de quien recibe': given.name,
    Calle: given.street,
    Número: given.number,
    Colonia: given.colony,
    'Municipio o alcaldía': given.municipality,
    Ciudad: given.city,
    Estado: given.state,
    'Código postal': given.zipcode,
    'Teléfono (10 dígitos)': given.phone,
  };
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(typed))
    await dialog.getByLabel(label, { exact: true }).fill(text);
}

function stagedLine(orderId: string, given: Parameters<typeof stageLine>[3] = {}): Promise<string> {
  return stageLine(instance, organizacion, orderId, given);
}

function lineOf(lineId: string): Promise<Line> {
  return instance.app.database.within(organizacion).read((scope) => lineById(scope, lineId));
}

async function setAddress(lineId: string, other: Partial<typeof ADDRESS>): Promise<void> {
  await instance.app.database
    .within(organizacion)
    .write((scope) => setDestination(scope, OPERATOR, lineId, { ...ADDRESS, ...other }));
}
