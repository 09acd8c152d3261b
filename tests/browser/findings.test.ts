import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findOperation } from '../../src/entrances/panel/contract.ts';
import { recordCfdis } from '../../src/features/cfdi/index.ts';
import { findProblems } from '../../src/features/findings/index.ts';
import { recordLedgers } from '../../src/features/ledger/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { aCertificate, folioOf } from '../support/cfdi-files.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { readCfdi } from '../support/read-cfdi.ts';
import { closesForGood } from './support/drawer.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// Hallazgos and Impuestos retenidos in a real browser.

const ZONE = 'America/Mexico_City';
const ACCOUNT = { marketplace: 'amazon', accountId: 'A1' } as const;
const HOSTILE = `702-<img src=x onerror=alert(1)>${'9'.repeat(60)}`;
const SIZES = [
  { colorScheme: 'light', viewport: { width: 1366, height: 768 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { colorScheme: 'light', viewport: { width: 320, height: 844 } },
] as const;

let instance: TestApp;
let organizacion: string;
let owner: Known;
/** «octubre de 2026», of the taxes and their certificate. */
let month: string;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
  const at = instance.clock.now().subtract({ hours: 24 * 20 });
  await instance.record(
    [anOrder({ ...ACCOUNT, id: '702-1', status: 'delivered', total: decimal('232.00') })],
    organizacion,
  );
  const movement = (
    name: string,
    kind: 'sale' | 'commission' | 'isr' | 'iva',
    amount: string,
    orderId: string,
  ) => ({
    ...{ kind, amount: decimal(amount), currency: 'MXN', at, nativeType: kind },
    ...{ key: name, orderId, payoutId: null, isOpen: false },
  });
  await instance.app.database.within(organizacion).write(async (scope) => {
    const movements = [
      movement('1', 'sale', '232.00', '702-1'),
      movement('2', 'commission', '-30.00', '702-1'),
      movement('3', 'commission', '-30.00', '702-1'),
      movement('4', 'sale', '116.00', HOSTILE),
      movement('5', 'commission', '-15.00', HOSTILE),
      movement('6', 'commission', '-15.00', HOSTILE),
      movement('7', 'isr', '-5.03', '702-1'),
      movement('8', 'iva', '-16.00', '702-1'),
    ];
    const ledger = { id: '1', report: 'transactions', movements };
    await recordLedgers(scope, { ...ACCOUNT, connectionId: newId() }, [
      { ...ledger, covers: null, changedAt: null, opening: null },
    ]);
    await findProblems(scope, ACCOUNT, ZONE);
    const xml = Buffer.from(certificateOf(at.toZonedDateTimeISO(ZONE)));
    await recordCfdis(scope, 'upload', [readCfdi(xml)], []);
  });
  month = new Intl.DateTimeFormat('es-MX', {
    month: 'long',
    year: 'numeric',
    timeZone: ZONE,
  }).format(at.epochMilliseconds);
});

for (const { colorScheme, viewport } of SIZES)
  test(`findings in ${colorScheme} at ${viewport.width} px: each is opened, and axe finds nothing`, {
    skip: noBrowser,
  }, async (t) => {
    const page = await openPanelPage(
      t,
      instance,
      { person: owner, organizacion, path: '/hallazgos' },
      { colorScheme, viewport },
    );
    const faults = faultsOf(page);
    await page.getByText('2 hallazgos').waitFor();
    const exported = page.getByRole('link', { name: 'Exportar' });
    assert.match((await exported.getAttribute('href')) ?? '', /que=findings&filtros=otros/);
    const [first] = await page.getByRole('button', { name: 'Cargo repetido' }).all();
    assert.ok(first);
    await first.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Hallazgo' });
    await dialog.getByText('más cargos iguales que ventas').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= viewport.width, `${width} px`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

test('a note explains a finding, which is then listed as explained', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, {
    person: owner,
    organizacion,
    path: '/hallazgos',
  });
  await page.getByText('702-1', { exact: true }).first().waitFor();
  await page
    .getByRole('row', { name: /702-1(?!\d)/ })
    .getByRole('button')
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Hallazgo' });
  await dialog.getByLabel('Nota').fill('El marketplace ya lo revisa');
  await dialog.getByRole('button', { name: 'Guardar nota' }).click();
  await page.getByText('1 hallazgo', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Explicados' }).click();
  await page.getByText('1 hallazgo', { exact: true }).waitFor();
  await page
    .getByRole('row', { name: /702-1(?!\d)/ })
    .getByRole('button')
    .first()
    .click();
  assert.equal(await dialog.getByLabel('Nota').inputValue(), 'El marketplace ya lo revisa');
  await page.getByRole('button', { name: 'Cerrar' }).click();
  await page.getByRole('button', { name: 'Resueltos' }).click();
  await page.getByText('Ningún hallazgo se ha resuelto todavía.').waitFor();
});

test('the address of a finding shows it, in whatever state; that of none says so', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/hallazgos' },
  });
  await page.getByRole('row', { name: /9{20}/ }).getByRole('button').first().click();
  const dialog = page.getByRole('dialog', { name: 'Hallazgo' });
  await dialog.getByLabel('Nota').waitFor();
  const link = new URL(page.url());
  link.searchParams.set('estado', 'resolved');
  await show(page, link.href);
  await dialog.getByLabel('Nota').waitFor();
  await dialog.getByText(/9{20}/).first().waitFor();
  await dialog.getByText('Amazon · A1', { exact: true }).waitFor();

  link.searchParams.set('hallazgo', newId());
  await show(page, link.href);
  await dialog.getByText('Este hallazgo ya no existe, o es de otra organización.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.doesNotMatch(page.url(), /hallazgo=/);
});

test('a finding leads to its order, also where another account has an order with the same id', {
  skip: noBrowser,
}, async (t) => {
  await instance.record([anOrder({ ...ACCOUNT, accountId: 'A2', id: '702-1' })], organizacion);
  const page = await openPanelPage(t, instance, {
    person: owner,
    organizacion,
    path: '/hallazgos',
  });
  await page.getByRole('button', { name: 'Explicados' }).click();
  await page
    .getByRole('row', { name: /702-1(?!\d)/ })
    .getByRole('button')
    .first()
    .click();
  await page.getByRole('link', { name: 'Ver la orden' }).click();
  await page.getByRole('dialog').getByText('$232.00').first().waitFor();
});

for (const { colorScheme, viewport } of SIZES)
  test(`withheld taxes in ${colorScheme} at ${viewport.width} px: a month is opened with its certificates`, {
    skip: noBrowser,
  }, async (t) => {
    const page = await openPanelPage(
      t,
      instance,
      { person: owner, organizacion, path: '/retenciones' },
      { colorScheme, viewport },
    );
    const faults = faultsOf(page);
    await page.getByText('$0.08 MXN').waitFor();
    const named = page.getByText('Según movimientos:');
    assert.equal(await named.count(), viewport.width > 640 ? 0 : 1);
    await page.getByRole('button', { name: month }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: month });
    await dialog.getByText('PPP010101PPP').waitFor();
    await dialog.getByText(/^ISR \$.* · IVA \$.* · Base \$/).waitFor();
    await dialog.getByText('Según constancias').waitFor();
    await page.getByRole('button', { name: 'Ver detalle de Amazon' }).focus();
    await page.keyboard.press('Enter');
    const order = dialog.getByRole('link', { name: '702-1' });
    await order.waitFor();
    await dialog
      .getByRole('button', { name: 'Ocultar detalle de Amazon', expanded: true })
      .waitFor();
    await order.locator('xpath=ancestor::li[1]').getByText('$21.03 MXN').waitFor();
    const wide =
      '[...document.querySelectorAll("dialog, [role=dialog]")].some((one) => one.scrollWidth > one.clientWidth)';
    assert.equal(await page.evaluate<boolean>(wide), false);
    assert.deepEqual(await accessibilityFaults(page), []);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= viewport.width, `${width} px`);
    await order.press('Enter');
    await page.getByRole('dialog', { name: /702-1/ }).waitFor();
    await page.goBack();
    await order.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.doesNotMatch(page.url(), /periodo=|marketplace=/);
    assert.deepEqual(faults, []);
  });

test('a month within a certificate of several months says so, and a card names its figures', {
  skip: noBrowser,
}, async (t) => {
  const month = { ledger: [], certificates: [], certified_total: null, difference: null };
  const json = {
    data: [
      { ...month, period: '2026-10', ledger_total: 30 },
      { ...month, period: '2026-09', ledger_total: 20 },
      { ...month, period: '2026-07/2026-09', ledger_total: 20, certified_total: 20, difference: 0 },
    ],
  };
  assert.ok(findOperation('withheld.list')?.output.parse(json));
  const page = await openPanelPage(
    t,
    instance,
    { person: owner, organizacion, path: '/ajustes' },
    { viewport: { width: 390, height: 844 } },
  );
  await page.route(/withheld\.list/, (route) => route.fulfill({ json }));
  await show(page, `${instance.app.exchange.publicUrl}/panel/${organizacion}/retenciones`);
  const cards = page.locator('.data-card');
  await cards.nth(0).getByText('Según constancias: Sin constancia').waitFor();
  await cards.nth(1).getByText('Según constancias: En una de varios meses').waitFor();
  await cards.nth(2).getByText('Según constancias: $20.00 MXN').waitFor();
  await cards.nth(0).getByRole('button').first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Subir su XML en Facturas' }).click();
  await page.getByRole('button', { name: 'Subir XML o ZIP' }).waitFor();
});

test('a finding says what to do, and leads to where that is done', {
  skip: noBrowser,
}, async (t) => {
  const paid = {
    ...{ key: '9', kind: 'sale' as const, amount: decimal('50.00'), currency: 'MXN' },
    ...{ at: instance.clock.now(), nativeType: 'sale', orderId: null, payoutId: null },
    isOpen: false,
  };
  const ledger = { id: '2', report: 'transactions', movements: [paid] };
  await instance.app.database.within(organizacion).write(async (scope) => {
    await recordLedgers(scope, { ...ACCOUNT, connectionId: newId() }, [
      { ...ledger, covers: null, changedAt: null, opening: null },
    ]);
    await findProblems(scope, ACCOUNT, ZONE);
  });
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/hallazgos' },
  });
  await page.getByRole('button', { name: 'Venta sin orden' }).click();
  const dialog = page.getByRole('dialog', { name: 'Hallazgo' });
  await dialog.getByText('usa «¿Está todo?» de esa cuenta').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole('link', { name: 'Ir a Conexiones' }).click();
  await page.getByRole('heading', { level: 1, name: 'Conexiones' }).waitFor();
});

/** A certificate of this month. */
function certificateOf({ month: number, year }: Temporal.ZonedDateTime): string {
  const period = `MesIni="${number}" MesFin="${number}" Ejercicio="${year}"`;
  return aCertificate({ uuid: folioOf(7) }).replace(
    /MesIni="10" MesFin="10" Ejercicio="2026"/,
    period,
  );
}

test('a finding, a period of taxes and a CFDI that were closed are not opened again by going back', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
  for (const screen of ['Hallazgos', 'Impuestos retenidos', 'Facturas'])
    await closesForGood(page, screen);
});
