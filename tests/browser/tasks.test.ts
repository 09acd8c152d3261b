import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { type Acts, countActs } from './support/acts.ts';
import { answered, openDemo } from './support/demo.ts';
import { show } from './support/panel-page.ts';

// What people come for, in how many acts from Inicio; docs/tasks.md has them all.

const DESKTOP = { width: 1366, height: 768 };
/** As a phone in the warehouse. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

let page: Page;
let home = '';
let phone: Page;

before(async () => {
  if (noBrowser) return;
  const demo = await openDemo({ viewport: DESKTOP });
  ({ page } = demo);
  home = page.url();
  const storageState = demo.signedIn;
  phone = await (await openBrowser(WHOLE_FILE, { ...PHONE, storageState })).newPage();
});

interface Task {
  readonly task: string;
  readonly most: number;
  /** What the demo must have read before: an operation of the panel, and a part of its answer. */
  readonly needs?: readonly [string, RegExp];
  readonly at?: () => Page;
  readonly run: (on: Page, acts: Acts) => Promise<void>;
}

const navigation = (on: Page, name: string) =>
  on.getByRole('navigation').getByRole('link', { name, exact: true });
const button = (on: Page | Locator, name: string | RegExp) => on.getByRole('button', { name });
const firstRow = (on: Page, label: string) =>
  on.getByRole('table', { name: label }).getByRole('row').nth(1);

const TASKS: readonly Task[] = [
  {
    task: 'sees what is broken, and opens the form that repairs it',
    most: 1,
    async run(on, { click }) {
      await click(on.getByRole('main').getByRole('link', { name: 'Reconectar' }));
      await on.getByRole('dialog', { name: /^Reconectar Tiendanube · / }).waitFor();
    },
  },
  {
    task: 'finds an order by a word of its product, and reads its money',
    most: 2,
    async run(on, { enter, click }) {
      await enter(on.getByRole('banner').getByRole('searchbox'), 'Mochila');
      await on.waitForURL(/buscar=Mochila/);
      await click(button(firstRow(on, 'Órdenes'), /./));
      await on.getByRole('dialog').getByText('Neto para ti').waitFor();
    },
  },
  {
    task: 'reads what a payout is made of, and opens an order of it',
    most: 3,
    needs: ['settlements.list', /"liverpool"/],
    async run(on, { click }) {
      await click(navigation(on, 'Saldos y pagos'));
      await on.getByRole('table', { name: 'Pagos de los marketplaces' }).scrollIntoViewIfNeeded();
      await click(button(on.getByRole('row', { name: /Liverpool/ }).first(), /./));
      const drawer = on.getByRole('dialog', { name: 'Pago' });
      await drawer.getByText('Los movimientos coinciden con el pago al centavo.').waitFor();
      await click(drawer.getByRole('link').first());
      await on.getByRole('dialog', { name: 'Orden' }).getByText('Neto para ti').waitFor();
    },
  },
  {
    task: 'wants a notice when the balance of a marketplace falls',
    most: 4,
    needs: ['balances.list', /"Coppel"/],
    async run(on, { click, type }) {
      await click(navigation(on, 'Saldos y pagos'));
      const purse = on.getByRole('region', { name: /^Coppel/ });
      await click(button(purse, 'Avisarme cuando baje'));
      await type(purse.getByLabel('Mínimo en MXN'), '100');
      await click(button(purse, 'Guardar'));
      await purse.getByText('Te avisamos si baja de $100.00 MXN.').waitFor();
    },
  },
  {
    task: 'explains a difference of the money by a note',
    most: 4,
    needs: ['findings.list', /"subject"/],
    async run(on, { click, type }) {
      await click(navigation(on, 'Hallazgos'));
      await click(button(firstRow(on, 'Hallazgos'), /./));
      const drawer = on.getByRole('dialog', { name: 'Hallazgo' });
      await type(drawer.getByLabel('Nota'), 'Se factura en noviembre');
      await click(button(drawer, 'Guardar nota'));
      await drawer.waitFor({ state: 'detached' });
      await on.getByText('Nota guardada. El hallazgo está en Explicados.').waitFor();
    },
  },
  {
    task: 'sees the orders of a month that have no CFDI',
    most: 3,
    needs: ['cfdis.uninvoiced-sums', /"month"/],
    async run(on, { click }) {
      await click(navigation(on, 'Facturas'));
      await click(button(on, 'Facturas pendientes'));
      await click(button(firstRow(on, 'Por mes y marketplace'), /./));
      await on.waitForURL(/desde=/);
    },
  },
  {
    task: 'sees which marketplace is late, and in which hours',
    most: 1,
    needs: ['figures.read', /"p95":\d/],
    async run(on, { click }) {
      await click(navigation(on, 'Métricas'));
      await on.getByRole('heading', { name: 'Qué tan rápido llegan tus órdenes' }).waitFor();
      await on.getByRole('img', { name: /lo que tardaron las más lentas/ }).waitFor();
      const late = on.getByRole('region', { name: 'Cuentas con problemas ahora' });
      await late.getByText(/Outlet.*sin sincronizar desde el .*reconéctala/is).waitFor();
      await late.getByRole('link', { name: 'Ver en Conexiones' }).waitFor();
    },
  },
  {
    task: 'compares the orders of an account with the list of its marketplace',
    most: 3,
    async run(on, { click }) {
      await click(navigation(on, 'Conexiones'));
      await click(button(on, '¿Está todo?').first());
      await click(button(on.getByRole('dialog'), 'Revisar'));
      await on
        .getByRole('dialog')
        .getByText(/ lista \d+ órdenes?; aquí tienes \d+\./)
        .waitFor();
    },
  },
  {
    task: 'gives the weight of a product that blocks guides',
    most: 7,
    needs: ['inventory.list', /"sku"/],
    async run(on, { click, type }) {
      await click(navigation(on, 'Inventario'));
      await click(button(on, 'Falta peso o medidas'));
      await click(button(firstRow(on, 'Inventario'), /./));
      const drawer = on.getByRole('dialog');
      const measures = { 'Peso (kg)': '1.5', 'Largo (cm)': '30', 'Ancho (cm)': '20' };
      for (const [label, text] of Object.entries(measures))
        await type(drawer.getByLabel(label), text);
      await type(drawer.getByLabel('Alto (cm)'), '15');
      await drawer.getByLabel('Alto (cm)').press('Enter');
      await drawer.getByText('Guardado', { exact: true }).waitFor();
    },
  },
  {
    task: 'exports the orders as a file for Excel',
    most: 3,
    async run(on, { click }) {
      await click(navigation(on, 'Órdenes'));
      await click(on.getByRole('link', { name: 'Exportar' }));
      await click(button(on, 'Pedir la exportación'));
      await on.getByText('Pedimos tu exportación.').waitFor();
      // The page brings the file by itself.
      await on.getByRole('link', { name: /^Descargar/ }).waitFor();
    },
  },
  {
    task: 'gets a key and the first call of the API',
    most: 3,
    async run(on, { click, type }) {
      await click(navigation(on, 'Claves de API'));
      await type(on.getByLabel('Nombre'), 'Primera llamada');
      await click(button(on, 'Crear la clave'));
      await on.getByText(/^tgs_/).first().waitFor();
      await on.getByText(/curl /).first().waitFor();
    },
  },
  {
    task: 'makes all guides that can be made, on a phone',
    most: 4,
    at: () => phone,
    async run(on, { click }) {
      await click(on.getByRole('main').getByRole('link', { name: 'Ir a Almacén' }));
      await on.locator('.opener').first().waitFor();
      await click(on.getByLabel('Elegir las que se ven'));
      await click(button(on, 'Revisar y generar guías'));
      await click(button(on.getByRole('dialog'), /^Generar \d+ guías?$/));
      await on.getByText(/^Se gener(ó|aron) /).waitFor();
    },
  },
];

for (const { task, most, needs, at, run } of TASKS)
  test(`a person ${task} (acts: ${most})`, { skip: noBrowser }, async (t) => {
    const on = at?.() ?? page;
    const faults = faultsOf(on);
    if (needs) await answered(page, home, ...needs);
    await show(on, home);
    const acts = countActs();
    await run(on, acts);
    t.diagnostic(`${acts.done()} acts, ${acts.seconds()}`);
    assert.equal(acts.done(), most);
    assert.deepEqual(faults, []);
  });

test('docs/tasks.md names every task with its acts', () => {
  const page = readFileSync('docs/tasks.md', 'utf8');
  const absent = TASKS.filter(({ task, most }) => !page.includes(`\n| ${task} | ${most} |`));
  assert.deepEqual(
    absent.map(({ task }) => task),
    [],
  );
});
