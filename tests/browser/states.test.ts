import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { soon } from '../spec/support/soon.ts';
import { noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { answered, openDemo } from './support/demo.ts';
import { inEveryScreen, isOfScreen, LOADING, openWindow } from './support/every-screen.ts';
import { faultsInLooks } from './support/looks.ts';
import { openPanelPage, screensOf, show } from './support/panel-page.ts';

// Every screen of the navigation in the states that a filled screen does not show: loading, failed,
// empty, refused, and with a drawer or dialog open. States are forced at the network.

const DIALOG = 'dialog[open], [role=dialog]';
/** Screens that have something to show from the first day. */
const NEVER_EMPTY = ['Inicio', 'Conexiones', 'Ajustes', 'Métricas', 'Uso', 'Saldos y pagos'];

let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
let screens: Readonly<Record<string, string>>;

before(async () => {
  if (noBrowser) return;
  const demo = await openDemo();
  ({ signedIn } = demo);
  screens = await screensOf(demo.page);
});

test('a screen that is loading has no fault', { skip: noBrowser }, async (t) => {
  const page = await openWindow(t, signedIn);
  const held: Route[] = [];
  await page.route(isOfScreen, (route) => void held.push(route));
  await inEveryScreen(screens, async (name, address) => {
    held.length = 0;
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByRole('main').locator(LOADING).first().waitFor();
    await soon(async () => assert.ok(held.length > 0, `${name} asks for something`));
    return faultsInLooks(page, `${name}, loading`, { part: 'main' });
  });
});

test('a screen that fails says so, with the id of the request to copy', {
  skip: noBrowser,
}, async (t) => {
  const page = await openWindow(t, signedIn);
  await page.route(isOfScreen, (route) => route.fulfill(FAILURE));
  await inEveryScreen(screens, async (name, address) => {
    await page.goto(address);
    const note = page.getByRole('alert').filter({ hasText: 'req_de_prueba' }).first();
    await note.getByRole('button', { name: 'Copiar' }).waitFor();
    await note.getByRole('button', { name: 'Intentar de nuevo' }).waitFor();
    return faultsInLooks(page, `${name}, failed`, { part: 'main' });
  });
});

test('a screen whose file does not arrive says so within the frame, and a new page repairs it', {
  skip: noBrowser,
}, async (t) => {
  const page = await openWindow(t, signedIn);
  await show(page, screens.Inicio as string);
  const files = /assets\/(SalesScreen|SideDrawer)-/;
  await page.route(files, (route) => route.abort());
  const sales = page.getByRole('navigation').getByRole('link', { name: 'Ventas', exact: true });
  const broken = page.getByRole('heading', { name: 'No se pudo abrir esta pantalla' });

  await sales.click();
  await broken.waitFor();
  assert.deepEqual(await faultsInLooks(page, 'Ventas, without its file', { part: 'html' }), []);
  await show(page, screens.Órdenes as string);
  await first(page);
  await broken.waitFor();

  await page.unroute(files);
  await page.getByRole('button', { name: 'Volver a cargar' }).click();
  await page.getByRole('dialog', { name: 'Orden' }).waitFor();
  await page.keyboard.press('Escape');
  await sales.click();
  await page.getByRole('heading', { level: 1, name: 'Ventas' }).waitFor();
});

test('a screen without data says what will be there', { skip: noBrowser }, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  const own = await screensOf(page);
  assert.deepEqual(
    NEVER_EMPTY.filter((name) => !(name in screens)),
    [],
  );
  await inEveryScreen(screens, async (name, address) => {
    await show(page, address.replace(/.*\/panel\/[^/]+/, new URL(own.Inicio ?? '').href));
    if (!NEVER_EMPTY.includes(name)) await page.locator('.empty').first().waitFor();
    return faultsInLooks(page, `${name}, empty`, { part: 'main' });
  });
});

test('a screen that the role may not see says so', { skip: noBrowser }, async (t) => {
  const page = await openWindow(t, signedIn);
  await page.route(isOfScreen, (route) => route.fulfill(REFUSAL));
  await inEveryScreen(screens, async (name, address) => {
    await page.goto(address);
    await page.getByRole('alert').getByText('Tu rol no lo permite.').first().waitFor();
    return faultsInLooks(page, `${name}, refused`, { part: 'main' });
  });
});

test('a drawer or dialog that is open has no fault', { skip: noBrowser }, async (t) => {
  const page = await openWindow(t, signedIn);
  // These come with the first ledger, after all else.
  for (const operation of ['findings.list', 'withheld.list'])
    await answered(page, screens.Inicio as string, operation, /"data":\[\{/);
  await inEveryScreen(screens, async (name, address) => {
    const acts = DIALOGS[name];
    assert.ok(acts, `${name} has its drawers and dialogs in the table`);
    const found: string[] = [];
    for (const [at, act] of acts.entries()) {
      await show(page, address);
      await act(page);
      const dialog = page.getByRole('dialog').first();
      await dialog.waitFor();
      await dialog.locator(LOADING).first().waitFor({ state: 'detached' });
      found.push(...(await faultsInLooks(page, `${name}, dialog ${at + 1}`, { part: DIALOG })));
    }
    return found;
  });
});

const answer = (status: number, code: string, message: string) => ({
  status,
  headers: { 'x-request-id': 'req_de_prueba' },
  json: { error: { code, message } },
});
const FAILURE = answer(500, 'internal_error', 'Algo falló de nuestro lado.');
const REFUSAL = answer(403, 'insufficient_role', 'Tu rol no lo permite.');

const first = (page: Page) => page.locator('.opener').first().click();
const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name }).first().click();

/** What opens each drawer and dialog that the demo can show; the warehouse has more in its own test. */
const DIALOGS: Readonly<Record<string, readonly ((page: Page) => Promise<void>)[]>> = {
  Inicio: [(page) => page.keyboard.press('?')],
  Órdenes: [first],
  Almacén: [first],
  Envíos: [first],
  Ventas: [],
  Inventario: [first],
  'Saldos y pagos': [first],
  Hallazgos: [first],
  'Impuestos retenidos': [first],
  Métricas: [],
  Facturas: [],
  Conexiones: [press(/^Conectar otra cuenta/), press('¿Está todo?'), press(/^Desconectar/)],
  Uso: [],
  Ajustes: [],
};
