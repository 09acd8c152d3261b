import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { noBrowser } from '../support/chromium.ts';
import { workOff } from '../support/market.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { zipOf } from '../support/zip.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// Several XML and ZIP in one go, in a real browser.

let instance: TestApp;
let folder: string;

before(async () => {
  if (noBrowser) return;
  ({ instance, folder } = await openMailingInstance(WHOLE_FILE));
});

test('several XML and ZIP are one upload with one result, and one that cannot be read holds up none', {
  skip: noBrowser,
}, async (t) => {
  const page = await openInvoices(t);
  const zip = await zipOf({
    'dos.xml': aCfdi({ uuid: folioOf(2) }),
    'tres.xml': aCfdi({ uuid: folioOf(3) }),
  });
  await choose(page, [
    xml('uno.xml', 1),
    { name: 'rota.zip', mimeType: 'application/zip', buffer: zip.subarray(0, 60) },
    { name: 'dos.zip', mimeType: 'application/zip', buffer: zip },
    xml('otra-vez.xml', 1),
    { name: 'nota.xml', mimeType: 'application/xml', buffer: Buffer.from('<nota/>') },
  ]);
  await read(page, 'Listo: 3 nuevos, 1 ya guardado, 2 no se guardaron.');
  const aside = page.locator('.tile li');
  assert.deepEqual((await aside.locator('strong').allTextContents()).toSorted(), [
    'nota.xml',
    'rota.zip',
  ]);
  assert.equal(await page.getByRole('progressbar').count(), 1);
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('several files that are dropped together are one upload, and a drop while it is sent is none', {
  skip: noBrowser,
}, async (t) => {
  const page = await openInvoices(t);
  const zip = await zipOf({ 'cinco.xml': aCfdi({ uuid: folioOf(5) }) });
  const asked: string[] = [];
  await page.route('**/cfdis.upload', async (route) => {
    asked.push(String(route.request().postDataJSON().name));
    if (asked.length === 1) await drop(page, [xml('tarde.xml', 7)]);
    await route.continue();
  });
  await drop(page, [
    xml('cuatro.xml', 4),
    { name: 'cinco.zip', mimeType: 'application/zip', buffer: zip },
    { name: 'nota.xml', mimeType: 'application/xml', buffer: Buffer.from('<nota/>') },
  ]);
  await read(page, 'Listo: 2 nuevos, 1 no se guardó.');
  assert.deepEqual(asked, ['cuatro.xml', 'cinco.zip', 'nota.xml']);
});

test('a lost network stops an upload of several files, which goes on by one button', {
  skip: noBrowser,
}, async (t) => {
  const page = await openInvoices(t);
  let sent = 0;
  await page.route('**/cfdis.upload', (route) =>
    ++sent === 2 ? route.abort('internetdisconnected') : route.continue(),
  );
  await choose(page, [xml('a.xml', 11), xml('b.xml', 12), xml('c.xml', 13)]);
  await page.getByText('Quedaron sin enviar «b.xml» y 1 más.', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
  await read(page, 'Listo: 3 nuevos.');
  assert.equal(await page.getByText('sin enviar').count(), 0);
});

test('a session that ends between files names what is left, and the rest completes the upload', {
  skip: noBrowser,
}, async (t) => {
  const page = await openInvoices(t);
  const json = { error: { code: 'session_required', message: 'Tu sesión terminó.' } };
  let sent = 0;
  await page.route('**/cfdis.upload', (route) =>
    ++sent === 2 ? route.fulfill({ status: 401, json }) : route.continue(),
  );
  await choose(page, [xml('d.xml', 21), xml('e.xml', 22)]);
  await page.getByRole('alert').getByText('Tu sesión terminó.').waitFor();
  await page.reload();
  await page.getByText('Quedó sin enviar «e.xml». Elígelo de nuevo.').waitFor();
  await choose(page, [xml('e.xml', 22)]);
  await read(page, 'Listo: 2 nuevos.');

  await page.evaluate(`FileReader.prototype.readAsDataURL = function () {
    setTimeout(() => this.dispatchEvent(new Event('error')));
  }`);
  await choose(page, [xml('f.xml', 23)]);
  const note = page.getByRole('alert');
  await note.getByText('No pudimos leer el archivo. Elígelo de nuevo.').waitFor();
});

test('a CFDI that no rule gives to an order is linked to one that a person finds, and unlinked', {
  skip: noBrowser,
}, async (t) => {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const sold = { accountId: 'A1', marketplace: 'amazon', total: decimal('1232.50') } as const;
  await instance.record([anOrder({ ...sold, id: '702-0000009' })], organizacion);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '/facturas' });
  await choose(page, [xml('suelta.xml', 31)]);
  await read(page, 'Listo: 1 nuevo.');
  await page.getByRole('button', { name: folioOf(31) }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('No está vinculado a ninguna orden.').waitFor();
  assert.equal(await drawer.getByText('Órdenes que podrían corresponder').count(), 0);

  await drawer.getByLabel('Buscar').fill('702-404');
  await page.keyboard.press('Enter');
  await drawer.getByText('Ninguna orden coincide.').waitFor();
  await drawer.getByLabel('Buscar').fill('702-0000009');
  await page.keyboard.press('Enter');
  await drawer.getByText('$1,232.50 MXN').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await drawer.getByRole('button', { name: 'Vincular 702-0000009' }).click();
  await drawer.getByText('La vinculó tu equipo').waitFor();
  await drawer.locator('h3:focus', { hasText: 'Órdenes' }).waitFor();
  assert.equal(await drawer.getByText('$1,232.50 MXN').count(), 0, 'it is listed once');
  await drawer.getByRole('button', { name: 'Desvincular 702-0000009' }).click();
  await drawer.getByText('No está vinculado a ninguna orden.').waitFor();
});

async function openInvoices(t: TestContext): Promise<Page> {
  const { owner: person, organizacion } = await openTeam(instance, folder);
  return openPanelPage(t, instance, { person, organizacion, path: '/facturas' });
}

type Chosen = { name: string; mimeType: string; buffer: Buffer };

function xml(name: string, number: number): Chosen {
  const buffer = Buffer.from(aCfdi({ uuid: folioOf(number) }));
  return { name, mimeType: 'application/xml', buffer };
}

function choose(page: Page, files: Chosen[]): Promise<void> {
  return page.getByLabel('Subir XML o ZIP', { exact: true }).first().setInputFiles(files);
}

/** Drags files over the box and lets them go: a browser drops only what the box accepts. */
async function drop(page: Page, files: Chosen[]): Promise<void> {
  const held = JSON.stringify(
    files.map(({ name, mimeType, buffer }) => ({
      ...{ name, type: mimeType },
      base64: buffer.toString('base64'),
    })),
  );
  const accepted = await page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer();
    for (const { name, type, base64 } of ${held}) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type }));
    }
    const box = document.querySelector('.tile:has(input[type=file])');
    const tell = (kind) => box.dispatchEvent(
      new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }),
    );
    const isRefused = tell('dragover');
    if (!isRefused) tell('drop');
    return !isRefused;
  })()`);
  assert.ok(accepted, 'the box accepts files');
}

/** Lets the service read what was sent, until the page says so. */
async function read(page: Page, result: string): Promise<void> {
  const said = page.getByText(result, { exact: true });
  for (let tries = 0; tries < 60 && (await said.count()) === 0; tries++) {
    await workOff(instance);
    await page.waitForTimeout(500);
  }
  assert.equal(await said.count(), 1, await page.locator('.tile').first().innerText());
}
