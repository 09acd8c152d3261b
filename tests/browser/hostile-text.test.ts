import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findOperation } from '../../src/entrances/panel/contract.ts';
import { changePlan } from '../../src/features/organizations/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import type { TestApp } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { type Known, openMailingInstance, openTeam } from '../support/people.ts';
import { MADE } from './support/hostile-answers.ts';
import { HOSTILE_TEXTS } from './support/hostile-texts.ts';
import { openPanelPage } from './support/panel-page.ts';

// Whatever marketplaces, agents and people call their things is text on every screen. The answers of
// the server are replaced by answers that have such texts wherever a text may be anything.

const SIZES = [
  { colorScheme: 'light', viewport: { width: 1366, height: 4_000 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 10_000 } },
] as const;
const PATIENCE_MS = 60_000;
const AT = '2026-10-20T18:00:00.000Z';

let instance: TestApp;
let organizacion: string;
let owner: Known;

before(async () => {
  if (noBrowser) return;
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
  const plan = { organizationId: organizacion, plan: 'avanzado', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, instance.clock, plan));
});

/** A row for each of the texts. */
const rows = <Row>(row: (text: string, at: number) => Row): Row[] => HOSTILE_TEXTS.map(row);
const NO_MORE = { next_cursor: null };
const COUNTS = { admitted: 5, refused: 0 };
const AMOUNTS = { balance: 1, available: 1, credit_limit: 1 };

interface Screen {
  readonly path: string;
  readonly answers: Readonly<Record<string, object>>;
  readonly open?: (page: Page) => Promise<void>;
}

const finding = (text: string, at: number) => ({
  ...{ id: `f-${at}`, kind: 'order_unpaid', state: 'explained', marketplace: 'amazon' },
  ...{ account_id: text, subject: text, amount: 1, expected: null, currency: 'MXN' },
  ...{ since: AT, note: text },
});
const FIGURES = {
  slots: [],
  delays: rows((name, at) => ({
    ...{ marketplace: `m-${at}`, name, changes: 1, median: 1, p95: HOSTILE_TEXTS.length - at },
    hours: [{ at: AT, p95: 1 }],
  })),
  balances: rows((name, at) => ({
    ...{ service: 'zipnova', name, account_id: `${at} ${name}`, currency: 'MXN', at: AT },
    ...AMOUNTS,
  })).slice(0, 3),
};
const ACCOUNT = {
  ...{ id: 'c-1', service: 'walmart', account_id: HOSTILE_TEXTS[5], name: HOSTILE_TEXTS[0] },
  ...{ state: 'ok', state_message: HOSTILE_TEXTS[6], streams: [] },
};
const PAYOUT = {
  payout: {
    ...{ status: 'paid', currency: 'MXN', net: 1, paid_at: AT, reference: HOSTILE_TEXTS[3] },
    ...{ period_from: null, period_to: null },
  },
  ...{ sums: [{ kind: HOSTILE_TEXTS[4], amount: 1 }], carried: null, left: null, difference: 0 },
  data: rows((text, at) => ({
    ...{ order_id: at % 2 === 0 ? text : null, native_type: at % 2 === 0 ? null : text },
    kind: at % 4 === 1 ? 'other_fee' : null,
    ...{ sold: 1, refunded: 0, fees: 0, withheld: 0, other: 0, net: 1 },
  })),
  ...NO_MORE,
};

const SCREENS: Readonly<Record<string, Screen>> = {
  Hallazgos: {
    path: '/hallazgos?estado=explained',
    answers: { 'findings.list': { data: rows(finding), ...NO_MORE } },
  },
  'Un hallazgo': {
    path: '/hallazgos?estado=explained&hallazgo=f-5',
    answers: { 'findings.list': { data: rows(finding), ...NO_MORE } },
  },
  Uso: {
    path: '/uso',
    answers: {
      'usage.read': {
        ...{ span: 'hour', slots: [{ at: AT, ...COUNTS }], peak: null },
        callers: rows((name, at) => ({
          ...{ kind: 'agent', id: `a-${at}`, name, last_four: null, last_at: AT, ...COUNTS },
        })),
      },
    },
  },
  Métricas: { path: '/metricas', answers: { 'figures.read': FIGURES } },
  'Impuestos retenidos': {
    path: '/retenciones?periodo=2026-10&marketplace=amazon',
    answers: {
      'withheld.list': {
        data: [
          {
            ...{ period: '2026-10', ledger_total: 1, certified_total: 1, difference: 0 },
            ledger: [{ marketplace: 'amazon', isr: 1, iva: 0, unnamed: 0 }],
            certificates: rows((text, at) => ({
              ...{ uuid: `${at} ${text}`, issuer_rfc: text, isr: 1, iva: 1, base: 1 },
            })),
          },
        ],
      },
      'withheld.lines': {
        data: rows((text, at) => ({
          ...{ account_id: text, order_id: at % 2 === 0 ? text : null },
          native_type: at % 2 === 0 ? null : text,
          ...{ isr: 1, iva: 0, unnamed: 0, total: 1, last_at: AT },
        })),
        ...NO_MORE,
      },
    },
  },
  'Facturas pendientes': {
    path: '/facturas?vista=pendientes',
    answers: {
      'cfdis.uninvoiced-sums': {
        data: [{ month: '2026-10', marketplace: 'amazon', currency: 'MXN', orders: 1, total: 1 }],
        totals: [{ currency: 'MXN', orders: 1, total: 1 }],
      },
      'cfdis.uninvoiced': {
        data: rows((order_id) => ({
          ...{ marketplace: 'amazon', account_id: order_id, order_id, status: 'delivered' },
          ...{ date_created: AT, total: 1, tax_total: null, currency: 'MXN', global_uuid: null },
        })),
        ...NO_MORE,
      },
    },
  },
  'Un pago': {
    path: '/saldos?marketplace=amazon&cuenta=A&pago=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
    answers: { 'payouts.get': PAYOUT },
  },
  '¿Está todo?': {
    path: '/conexiones',
    answers: {
      'connections.overview': { data: [ACCOUNT] },
      'connections.check-orders': { job_id: 'j-1' },
      'connections.check-result': {
        ...{ state: 'done', error: null },
        check: {
          ...{ from: '2026-10-01T06:00:00.000Z', to: '2026-11-27T18:00:00.000Z', has_list: true },
          ...{ listed: 60, stored: 0, missing_count: HOSTILE_TEXTS.length },
          missing: rows((id) => ({ id, outcome: 'fetched' })),
          stopped: HOSTILE_TEXTS[7],
        },
      },
    },
    async open(page) {
      await page.getByRole('button', { name: '¿Está todo?' }).click();
      await page.getByLabel('Periodo').selectOption('Mes pasado');
      await page.getByRole('button', { name: 'Revisar' }).click();
      await page.getByText('del 1 oct 2026 al 27 nov 2026').waitFor();
    },
  },
};

test('there are sixty texts, each once', () => {
  assert.equal(new Set(HOSTILE_TEXTS).size, 60);
});

for (const [name, { path, answers, open }] of Object.entries(SCREENS))
  for (const { colorScheme, viewport } of SIZES)
    test(`${name} at ${viewport.width} px: sixty hostile texts are text`, {
      skip: noBrowser,
    }, async (t) => {
      const at = { person: owner, organizacion, path: '/ajustes' };
      const page = await openPanelPage(t, instance, at, { colorScheme, viewport });
      const faults = faultsOf(page);
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      for (const [operation, json] of Object.entries(answers)) {
        // A screen is only shown what the server could answer.
        assert.ok(findOperation(operation)?.output.parse(json));
        const isCall = ({ pathname }: URL) => pathname.endsWith(`/${operation}`);
        await page.route(isCall, (route) => route.fulfill({ json }));
      }
      const { publicUrl } = instance.app.exchange;
      await page.goto(`${publicUrl}/panel/${organizacion}${path}`);
      await open?.(page);
      const whole = page.locator('body');
      // A style among them would hide it and every title, and an address lead away.
      const isShown = { hasText: HOSTILE_TEXTS.at(-1) ?? '' };
      await whole.filter(isShown).waitFor({ state: 'attached', timeout: PATIENCE_MS });
      const shown = (await whole.textContent()) ?? '';
      assert.deepEqual(
        HOSTILE_TEXTS.filter((text) => !shown.includes(text)),
        [],
        'each is read as it was written',
      );
      assert.deepEqual(await page.evaluate<string[]>(MADE), [], 'none became an element');
      assert.equal(await page.evaluate('globalThis.hostile'), undefined);
      assert.deepEqual([dialogs, faults], [[], []]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= viewport.width, `${width} px`);
    });
