import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findOperation } from '../../src/entrances/panel/contract.ts';
import { recordBalances, recordSettlements } from '../../src/features/balances/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { decimal } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import type { TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { closesForGood } from './support/drawer.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// Saldos y pagos in a real browser: amounts, and the notice of a low balance.

const WIDTHS = [320, 345, 370, 390, 430, 1366];
const LINE = { order_id: '702-1', native_type: null, kind: null };
const PAYOUT = {
  payout: {
    ...{ status: 'pending', currency: 'MXN', net: 900, paid_at: null, reference: null },
    ...{ period_from: null, period_to: '2026-11-22T18:00:00.000Z' },
  },
  ...{ sums: [{ kind: 'isr', amount: -54.22 }], carried: null, left: null, difference: -1_054.22 },
  data: [1, 2, 3].map((number) => ({
    ...LINE,
    ...{ order_id: `702-${number}`, sold: 1_200, refunded: 10 ** number, fees: 100.25 },
    ...{ withheld: 54.22, other: -1, net: 900 },
  })),
  next_cursor: null,
};
/** The amounts that the end of a line breaks. */
const BROKEN = `[...document.querySelectorAll('.money, .kept')]
  .filter((amount) => new Set([...amount.getClientRects()].map(({ top }) => top)).size > 1)
  .map(({ textContent }) => textContent)`;

/** Where the amounts end that add up to the payout. */
const ENDS = `[...new Set([...document.querySelectorAll('[role=dialog] .pairs .money')]
  .map((amount) => Math.round(amount.getBoundingClientRect().right)))]`;

let instance: TestApp;
let organizacion: string;
let owner: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
});

test('an amount stays in one line, with its minus and its currency', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
  const faults = faultsOf(page);
  assert.ok(findOperation('payouts.get')?.output.parse(PAYOUT));
  await page.route(/payouts\.get/, (route) => route.fulfill({ json: PAYOUT }));
  const payout = 'marketplace=amazon&cuenta=A1&pago=P-1';
  await show(page, `${instance.app.exchange.publicUrl}/panel/${organizacion}/saldos?${payout}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('702-3').waitFor();
  await dialog.getByText('22 nov 2026').waitFor();
  await dialog.getByText('Amazon no ha informado el día del depósito.').waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await page.evaluate<string[]>(BROKEN), [], `at ${width} px`);
    assert.equal((await page.evaluate<number[]>(ENDS)).length, 1, `at ${width} px`);
  }
  assert.deepEqual(faults, []);
});

test('the day of a deposit that came without a time is that day, and not the evening before', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
  const payout = { ...PAYOUT.payout, status: 'paid', paid_at: '2026-11-19T00:00:00.000Z' };
  await page.route(/payouts\.get/, (route) => route.fulfill({ json: { ...PAYOUT, payout } }));
  const address = `${instance.app.exchange.publicUrl}/panel/${organizacion}/saldos`;
  await show(page, `${address}?marketplace=shopify&cuenta=A1&pago=P-1`);
  const deposited = page.getByRole('dialog').locator('dl > div', { hasText: 'Fecha del depósito' });
  await deposited.waitFor();
  assert.equal(await deposited.locator('dd').innerText(), '19 nov 2026');
});

test('of a payout that is not paid yet a difference is no fault', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
  const address = `${instance.app.exchange.publicUrl}/panel/${organizacion}/saldos`;
  const open = async (status: string) => {
    const payout = { ...PAYOUT.payout, status };
    await page.route(/payouts\.get/, (route) => route.fulfill({ json: { ...PAYOUT, payout } }));
    await show(page, `${address}?marketplace=amazon&cuenta=A1&pago=${status}`);
  };
  await open('pending');
  await page.getByText('Este pago todavía puede cambiar.').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await open('paid');
  await page.getByRole('alert').filter({ hasText: 'Falta explicar' }).waitFor();
});

test('a low balance is told where the person is told of alerts, and not offered where it is unknown', {
  skip: noBrowser,
}, async (t) => {
  const balance = { purse: '', currency: 'MXN', pending: null, isDerived: false };
  const have = (accountId: string, available: string | null) =>
    instance.app.database.within(organizacion).write((scope) =>
      recordBalances(
        scope,
        { service: 'mercado_libre', accountId, connectionId: newId() },
        [
          {
            ...balance,
            available: available === null ? null : decimal(available),
            asOf: instance.clock.now(),
          },
        ],
        { announce: false },
      ),
    );
  await have('known', '450.50');
  await have('unknown', null);
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/saldos' });
  const purseOf = (account: string) =>
    page.getByRole('region', { name: new RegExp(` ${account} `) });
  await purseOf('unknown').getByText('No lo informa').first().waitFor();
  const offer = { name: 'Avisarme cuando baje' };
  assert.equal(await purseOf('unknown').getByRole('button', offer).count(), 0);

  const purse = purseOf('known');
  await purse.getByRole('button', offer).click();
  await purse.getByText('te llega por correo').waitFor();
  await purse.getByLabel('Mínimo en MXN').fill('100');
  assert.deepEqual(await accessibilityFaults(page), []);
  await purse.getByRole('button', { name: 'Guardar' }).click();
  await purse.getByText('Te avisamos si baja de $100.00 MXN.').waitFor();
  await purse.getByText('te llega por correo').waitFor();

  await purse.getByRole('link', { name: 'Cambiar alertas por correo' }).click();
  await page.getByLabel('Enviarme un correo cuando empiece un problema').click();
  await page.getByText('Guardado').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Saldos y pagos' }).first().click();
  await purse.getByText('tus alertas por correo están desactivadas').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a payout says the day of its deposit, or where that is not told, the end of its cut', {
  skip: noBrowser,
}, async (t) => {
  const source = { marketplace: 'liverpool', accountId: 'L-1', connectionId: newId() } as const;
  const at = (text: string) => Temporal.Instant.from(text);
  const cut = {
    ...{ marketplaceStatus: 'TO_PAY', currency: 'MXN', gross: null, fees: null },
    ...{ net: decimal('900'), from: at('2026-11-09T18:00:00Z'), to: at('2026-11-22T18:00:00Z') },
    ...{ paidAt: null, reference: null, changedAt: null, raw: '{}' },
  } as const;
  await instance.app.database.within(organizacion).write((scope) =>
    recordSettlements(
      scope,
      source,
      [
        { ...cut, id: 'C-1', status: 'pending' },
        { ...cut, id: 'C-2', status: 'paid', paidAt: at('2026-11-24T18:00:00Z') },
      ],
      { announce: false },
    ),
  );
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/saldos' });
  const rowOf = (id: string) => page.getByRole('row').filter({ hasText: id });

  await rowOf('C-2').getByText('24 nov 2026').waitFor();
  await rowOf('C-1').getByText('Corte al 22 nov 2026').waitFor();
  await rowOf('C-1').getByRole('button').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('9 nov 2026 – 22 nov 2026').waitFor();
  await dialog.getByText('Liverpool no ha informado el día del depósito.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a payout that was closed is not opened again by going back', {
  skip: noBrowser,
}, async (t) => {
  const page = await openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
  await closesForGood(page, 'Saldos y pagos');
});
