import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { recordCfdis } from '../../src/features/cfdi/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam, type Team } from '../support/people.ts';
import { readCfdi } from '../support/read-cfdi.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// The organisation as a taxpayer, from Facturas to Ajustes and back.

/** Its CFDI names it. */
const ORDER = '2000000000000077';

let instance: TestApp;
let team: Team;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  team = await openTeam(instance, opened.folder);
  const order = anOrder({ id: ORDER, total: decimal('34.80') });
  await instance.record([order], team.organizacion);
  const xml = Buffer.from(aCfdi({ uuid: folioOf(1), sku: ORDER }));
  await instance.app.database
    .within(team.organizacion)
    .write((scope) => recordCfdis(scope, 'upload', [readCfdi(xml)], []));
});

test('a person gives their RFC where Facturas asks for it, and their CFDI are issued ones', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, team.owner, '/facturas');
  const faults = faultsOf(page);
  const facturas = page.url();
  await page.getByText('De terceros').first().waitFor();
  await page.getByRole('link', { name: 'Indicar mi RFC' }).click();
  const form = page.getByRole('region', { name: 'Datos fiscales' });
  await form.getByLabel('RFC').fill('AAA019901AAA');
  await form.getByLabel('RFC').press('Enter');
  await form.getByText('«AAA019901AAA» no es un RFC válido').waitFor();
  assert.equal(await form.getByLabel('RFC').inputValue(), 'AAA019901AAA', 'what was typed stays');
  await form.getByLabel('RFC').fill('aaa010101aaa');
  await form.getByLabel('Tipo de persona').selectOption({ label: 'Persona física' });
  await form.getByLabel('RFC').press('Enter');
  await form.getByText('Ningún RFC del perfil es de una persona física').waitFor();
  await form.getByLabel('Tipo de persona').selectOption({ label: 'Persona moral' });
  const regimes = await form.getByLabel('Régimen fiscal').locator('option').allTextContents();
  assert.ok(regimes.includes('601 General de Ley Personas Morales'));
  assert.ok(!regimes.some((name) => name.startsWith('612')), 'of natural persons alone');
  await form.getByLabel('Régimen fiscal').selectOption('601');
  const json = { error: { code: 'rate_limited', message: 'Espera un minuto.' } };
  await page.route('**/fiscal-profile.change', (route) => route.fulfill({ status: 429, json }), {
    times: 1,
  });
  await form.getByLabel('RFC').press('Enter');
  await form.getByRole('alert').getByText('Espera un minuto.').waitFor();
  assert.match(faults.pop() ?? '', /429/, 'the browser reports the refusal');
  assert.equal(
    await form
      .getByRole('button')
      .filter({ hasText: /Guardar|Intentar/ })
      .count(),
    1,
    'the button of the form tries again',
  );
  await form.getByLabel('RFC').press('Enter');
  await form.getByText('Guardado. 1 CFDI cambió').waitFor();
  assert.equal(await form.getByLabel('RFC').inputValue(), 'AAA010101AAA');
  assert.deepEqual(await accessibilityFaults(page), []);

  await show(page, facturas);
  await page.getByText('Ingreso · Emitido').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Indicar mi RFC' }).count(), 0);
  assert.deepEqual(
    faults.filter((fault) => !/status of 400/.test(fault)),
    [],
  );
});

test('an order leads to its CFDI and to its XML', { skip: noBrowser }, async (t) => {
  const page = await opened(t, team.owner, `/ordenes?orden=${ORDER}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByText(folioOf(1)).waitFor();
  await drawer
    .getByRole('strong')
    .filter({ hasText: /^CFDI de ingreso$/ })
    .waitFor();
  const linked = page.waitForResponse((answer) => answer.url().includes('cfdis.xml'));
  await drawer.getByRole('button', { name: 'Descargar XML' }).click();
  const { url } = await (await linked).json();
  const file = await fetch(url);
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment/);
  assert.match(await file.text(), new RegExp(folioOf(1)));
  await drawer.getByRole('link', { name: 'Ver el CFDI' }).click();
  await page.waitForURL(/facturas\?folio=/);
  const cfdi = page.getByRole('dialog');
  await cfdi.getByText('AAA010101AAA').waitFor();
  const amount = cfdi.locator('.items .number').filter({ hasText: '$' }).first();
  assert.match((await amount.textContent()) ?? '', /^\$[\d,]+\.\d\d\sMXN$/);
});

test('a role that sees the money and does not manage the organisation reads its RFC', {
  skip: noBrowser,
}, async (t) => {
  const page = await opened(t, await team.join('member'), '/ajustes');
  const part = page.getByRole('region', { name: 'Datos fiscales' });
  await part.getByText('Régimen fiscal').waitFor();
  assert.equal(await part.getByRole('button').count(), 0);
});

function opened(t: Parameters<typeof openPanelPage>[0], person: Known, path: string) {
  const { organizacion } = team;
  return openPanelPage(t, instance, { person, organizacion, path });
}
