import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { soon } from '../spec/support/soon.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openDemo } from './support/demo.ts';
import { whileAsked } from './support/panel-page.ts';

// Journeys by keyboard alone over the demo: every stop is visible, and closing gives the focus back.

const DESKTOP = { width: 1366, height: 768 };
/** No page has so many stops. */
const MOST_TABS = 150;

let page: Page;
let faults: string[];
let owner: { readonly email: string; readonly password: string };

before(async () => {
  if (noBrowser) return;
  ({ page, owner } = await openDemo({ viewport: DESKTOP }));
  faults = faultsOf(page);
  await page.reload();
  await heading('Inicio');
});

const journey = (name: string, run: () => Promise<void>) =>
  test(name, { skip: noBrowser }, async () => {
    await run();
    assert.deepEqual(faults, []);
  });

journey('an alert is marked as resolved', async () => {
  const alert = page.getByRole('main').getByText('que pusiste como mínimo');
  await alert.waitFor();
  await tabTo('Marcar como resuelta');
  await whileAsked(page, 'alerts.settle', () => hasFocus('Guardando…'));
  await page.getByText('Marcaste como resuelta').waitFor();
  await hasFocus('Deshacer');
  await whileAsked(page, 'alerts.reopen', () => hasFocus('Deshacer'));
  await page.getByText('Marcaste como resuelta').waitFor({ state: 'detached' });
  await alert.waitFor();
  await tabTo('Marcar como resuelta');
  await page.keyboard.press('Enter');
  await page.getByText('Marcaste como resuelta').waitFor();
});

journey(
  'an alert that was settled is found among the resolved ones, and opened again',
  async () => {
    await page.reload();
    await tabTo('Ver alertas resueltas');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Alertas resueltas' });
    await dialog.getByText('La marcó como resuelta:').waitFor();
    await tabTo('Volver a abrir');
    await whileAsked(page, 'alerts.reopen', () => hasFocus('Volver a abrir'));
    await dialog.getByText('La marcó como resuelta:').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await hasFocus('Ver alertas resueltas');
    await page.getByRole('main').getByText('que pusiste como mínimo').waitFor();
  },
);

journey('the shortcuts are listed, and closing them gives the focus back', async () => {
  await tabTo('Reconectar');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Atajos del teclado' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hasFocus('Reconectar');
});

journey('orders are filtered by a status, and all of them are shown again', async () => {
  await go('o', 'Órdenes');
  await tabTo('Estado');
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'Escape']) await page.keyboard.press(key);
  await page.waitForURL(/estado=\w/);
  await tabTo('Quitar filtros');
  await page.keyboard.press('Enter');
  await page.waitForURL((address) => !address.searchParams.get('estado'));
});

journey('an order is opened from the list, and closing it gives the focus back', async () => {
  const openers = page.locator('table .opener');
  await openers.nth(2).waitFor();
  const first = await wordsOf(openers.first());
  await tabTo(first);
  await page.keyboard.press('ArrowDown');
  // The shop goes on: an order may come above both meanwhile.
  const second = await focused();
  const listed = await openers.allTextContents();
  const [upper, lower] = [first, second].map((name) =>
    listed.findIndex((one) => one.trim() === name),
  );
  assert.equal(lower, (upper ?? -1) + 1, `${second} is below ${first}`);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Historial').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hasFocus(second);
});

journey('an order is found from anywhere', async () => {
  const opener = page.locator('table .opener').first();
  await opener.waitFor();
  const id = await wordsOf(opener);
  await go('i', 'Inicio');
  await page.keyboard.press('/');
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await heading('Órdenes');
  await page.locator('table .opener', { hasText: id }).first().waitFor();
  assert.match(page.url(), /buscar=/);
});

journey('a line is scanned in the warehouse, where the field has the focus at once', async () => {
  await go('l', 'Almacén');
  const number = await wordsOf(page.locator('table .opener').first());
  await page.locator('#scan:focus').waitFor();
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await page.locator('.scan-word').waitFor();
  await page.locator('#scan:focus').waitFor();
});

journey('the sales of a week are read as a table', async () => {
  await go('v', 'Ventas');
  await tabTo('7 días');
  await page.keyboard.press('Enter');
  await tabTo('Tabla');
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Ventas brutas en MXN' }).waitFor();
});

journey('the values of a chart are read by the arrows', async () => {
  await go('d', 'Métricas');
  await tabTo('Órdenes por hora');
  await page.keyboard.press('End');
  await page.locator('figcaption strong').first().waitFor();
});

journey(
  'a figure that is read as a table still is after going back, in either period',
  async () => {
    const orders = page.getByRole('region', { name: 'Órdenes por hora' });
    await orders.getByRole('button', { name: 'Tabla' }).press('Enter');
    await orders.getByRole('table').waitFor();
    await go('u', 'Uso');
    await page.goBack();
    await orders.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Últimos 7 días' }).press('Enter');
    const week = page.getByRole('region', { name: /^Órdenes/ });
    await week.getByRole('table').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Tabla', pressed: true }).count(), 1);
  },
);

journey('the usage of the last day is shown, and an hour of it by minute', async () => {
  await go('u', 'Uso');
  await tabTo('Últimas 24 horas');
  await page.keyboard.press('Enter');
  await page.getByLabel('Solicitudes por hora').first().waitFor();
  assert.match(page.url(), /periodo=dia/);
  await tabTo('Tabla');
  await page.keyboard.press('Enter');
  const day = page.getByRole('table', { name: 'Solicitudes por hora' });
  await tabTo(await wordsOf(day.getByRole('button').first()));
  await page.keyboard.press('Enter');
  const hour = page.getByRole('table', { name: 'Solicitudes por minuto' });
  await hour.waitFor();
  const minutes = (await hour.getByRole('rowheader').allTextContents()).toReversed();
  assert.deepEqual(
    minutes.map((time) => Number(time.slice(time.indexOf(':') + 1, time.indexOf(' ')))),
    minutes.map((_, minute) => minute),
    'of the hour that has not ended those that have begun',
  );
  await tabTo('Volver a las últimas 24 horas');
  await page.keyboard.press('Enter');
  await day.waitFor();
});

journey('the form of an account opens, and closing it gives the focus back', async () => {
  await go('c', 'Conexiones');
  const name = 'Conectar otra cuenta: WooCommerce';
  await page.getByRole('button', { name }).waitFor();
  await tabTo(name);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hasFocus(name);
});

journey('the organisation gets another name', async () => {
  await go('j', 'Ajustes');
  await tabTo('Nombre');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('Tienda del teclado');
  await page.keyboard.press('Enter');
  await page.getByRole('banner').getByText('Tienda del teclado').first().waitFor();
});

journey(
  'the button that saves keeps the focus while it saves, and then without a change',
  async () => {
    const form = page.getByRole('heading', { name: 'Organización' }).locator('..');
    await form.getByText('Guardado', { exact: true }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await tabTo('Nombre');
    await page.keyboard.press('End');
    await page.keyboard.type(' 2');
    await tabTo('Guardar');
    await whileAsked(page, 'organization.change', async () => {
      await hasFocus('Guardando…');
      await page.keyboard.press('Enter');
    });
    await form.getByText('Guardado', { exact: true }).waitFor();
    await hasFocus('Guardar');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await hasFocus('Nombre');
    await page.keyboard.press('Enter');
    await page.waitForRequest(/clock\.read/);
    const changes = sent.filter((address) => address.endsWith('/organization.change'));
    assert.equal(changes.length, 1, 'nothing is saved twice, and nothing without a change');
  },
);

journey('an API key is made', async () => {
  await leaveField();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await heading('Claves de API');
  await tabTo('Nombre');
  await page.keyboard.type('Del teclado');
  await page.keyboard.press('Enter');
  await page.getByText(/^tgs_/).first().waitFor();
});

journey('a person signs out and in again', async () => {
  await page.goto(new URL('/cuenta', page.url()).href);
  await heading('Mi cuenta');
  await tabTo('Cerrar sesión');
  await page.keyboard.press('Enter');
  await page.getByText('Saliste de tu cuenta.').waitFor();
  await tabTo('Correo');
  await page.keyboard.type(owner.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(owner.password);
  await page.keyboard.press('Enter');
  await heading('Inicio');
});

async function heading(name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** `g`, then the letter of a screen. */
async function go(letter: string, name: string): Promise<void> {
  await leaveField();
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await heading(name);
}

/** Shortcuts are off while something is typed. */
async function leaveField(): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS && (await isTyping()); tabs++)
    await page.keyboard.press('Tab');
}

function isTyping(): Promise<boolean> {
  return page.evaluate<boolean>("document.activeElement?.matches('input, textarea, select')");
}

/** Walks from stop to stop until one is called so; every stop on the way must be visible. */
async function tabTo(name: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if ((await focused()) === name) return;
    await page.keyboard.press('Tab');
    const [isSeen, what] = await page.evaluate<[boolean, string]>(IS_SEEN);
    assert.ok(isSeen, `the focus on ${what} is not visible`);
  }
  assert.fail(`no stop is called «${name}»`);
}

/** Closing gives the focus back a moment later. */
function hasFocus(name: string): Promise<void> {
  return soon(async () => assert.equal(await focused(), name));
}

/** The name of what has the focus. */
function focused(): Promise<string> {
  return page.evaluate<string>(NAME);
}

async function wordsOf(locator: ReturnType<Page['locator']>): Promise<string> {
  return ((await locator.first().textContent()) ?? '').trim();
}

const NAME = `(() => {
  const one = document.activeElement;
  const label = one?.labels?.[0]?.textContent ?? one?.getAttribute('aria-label');
  return (label ?? one?.textContent ?? '').trim();
})()`;

/** The ring of a field may be that of the frame around it. */
const IS_SEEN = `(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return [true, 'the page'];
  const isRinged = [one, one.parentElement, one.parentElement.parentElement].some((element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  const box = one.getBoundingClientRect();
  return [isRinged && box.width > 0 && box.height > 0, one.outerHTML.slice(0, 120)];
})()`;
