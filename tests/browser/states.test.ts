import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { startDemo } from '../support/demo.ts';
import { openMailingInstance, openTeam } from '../support/people.ts';
import { hostileAnswers, MADE } from './support/hostile-answers.ts';
import { HOSTILE_TEXTS } from './support/hostile-texts.ts';
import { faultsInLooks, LOOKS, setLook } from './support/looks.ts';
import { openPanelPage, screensOf, show } from './support/panel-page.ts';

// Every screen of the navigation in the states that a filled screen does not show: loading, failed,
// empty, refused, and with a drawer or dialog open. States are forced at the network.

const LOADING = '.ghost, [aria-busy=true]';
/** What surrounds a screen, whatever its own state. */
const OF_FRAME = ['frame.read', 'clock.read'];
/** `hostile-text.test.ts` gives it each text: the demo has no certificates at first. */
const IN_A_TEST_OF_THEIR_OWN = ['Impuestos retenidos'];
/** A screen of few texts is loaded again for the others. */
const MOST_LOADS = 20;
const STEP_MS = 30_000;
/** Screens that have something to show from the first day. */
const NEVER_EMPTY = ['Inicio', 'Conexiones', 'Ajustes', 'Métricas', 'Uso', 'Saldos y pagos'];

let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
let screens: Readonly<Record<string, string>>;

before(async () => {
  if (noBrowser) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-states-'));
  // As root the database runs as another user, who needs access.
  await chmod(dataDir, 0o711);
  const demo = await startDemo(dataDir);
  WHOLE_FILE.after(() => demo.stop('SIGTERM'));
  WHOLE_FILE.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const [link = ''] = /http\S+\/demo\/entrar\?clave=\S+/.exec(demo.output()) ?? [];
  const page = await (await openBrowser(WHOLE_FILE)).newPage();
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
  signedIn = await page.context().storageState();
  screens = await screensOf(page);
});

test('a screen that is loading has no fault', { skip: noBrowser }, async (t) => {
  const page = await openDemo(t);
  const held: Route[] = [];
  await page.route(isOfScreen, (route) => void held.push(route));
  await inEveryScreen(page, async (name, address) => {
    held.length = 0;
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByRole('main').locator(LOADING).first().waitFor();
    assert.ok(held.length > 0, `${name} asks for something`);
    return faultsInLooks(page, `${name}, loading`, 'main');
  });
});

test('a screen that fails says so, with the id of the request to copy', {
  skip: noBrowser,
}, async (t) => {
  const page = await openDemo(t);
  await page.route(isOfScreen, (route) => route.fulfill(FAILURE));
  await inEveryScreen(page, async (name, address) => {
    await page.goto(address);
    const note = page.getByRole('alert').filter({ hasText: 'req_de_prueba' }).first();
    await note.getByRole('button', { name: 'Copiar' }).waitFor();
    await note.getByRole('button', { name: 'Intentar de nuevo' }).waitFor();
    return faultsInLooks(page, `${name}, failed`, 'main');
  });
});

test('a screen without data says what will be there', { skip: noBrowser }, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const { owner: person, organizacion } = await openTeam(instance, folder);
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });
  page.setDefaultTimeout(STEP_MS);
  const own = await screensOf(page);
  assert.deepEqual(
    NEVER_EMPTY.filter((name) => !(name in screens)),
    [],
  );
  await inEveryScreen(page, async (name, address) => {
    await show(page, address.replace(/.*\/panel\/[^/]+/, new URL(own.Inicio ?? '').href));
    if (!NEVER_EMPTY.includes(name)) await page.locator('.empty').first().waitFor();
    return faultsInLooks(page, `${name}, empty`, 'main');
  });
});

test('a screen that the role may not see says so', { skip: noBrowser }, async (t) => {
  const page = await openDemo(t);
  await page.route(isOfScreen, (route) => route.fulfill(REFUSAL));
  await inEveryScreen(page, async (name, address) => {
    await page.goto(address);
    await page.getByRole('alert').getByText('Tu rol no lo permite.').first().waitFor();
    return faultsInLooks(page, `${name}, refused`, 'main');
  });
});

test('a drawer or dialog that is open has no fault', { skip: noBrowser }, async (t) => {
  const page = await openDemo(t);
  await inEveryScreen(page, async (name, address) => {
    const acts = DIALOGS[name];
    assert.ok(acts, `${name} has its drawers and dialogs in the table`);
    const found: string[] = [];
    for (const [at, act] of acts.entries()) {
      await show(page, address);
      await act(page);
      const dialog = page.getByRole('dialog').first();
      await dialog.waitFor();
      await dialog.locator(LOADING).first().waitFor({ state: 'detached' });
      found.push(
        ...(await faultsInLooks(page, `${name}, dialog ${at + 1}`, 'dialog[open], [role=dialog]')),
      );
    }
    return found;
  });
});

for (const look of [
  { ...LOOKS[0], height: 4_000 },
  { ...LOOKS[1], height: 10_000 },
])
  test(`at ${look.width} px every text of the server may be hostile, on each screen and in its drawer`, {
    skip: noBrowser,
  }, async (t) => {
    const page = await openDemo(t);
    const faults = faultsOf(page);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const hostile = hostileAnswers();
    await page.route(isOfScreen, hostile.answer);
    await inEveryScreen(page, async (name, address) => {
      await setLook(page, look);
      const left = new Set(HOSTILE_TEXTS);
      for (let load = 0; load < MOST_LOADS && left.size > 0; load++) {
        await show(page, address);
        await page.locator(LOADING).first().waitFor({ state: 'detached' });
        await assertOnlyText(page, name);
        for (const text of hostile.served()) left.delete(text);
      }
      if (!IN_A_TEST_OF_THEIR_OWN.includes(name))
        assert.deepEqual([...left], [], `${name} was given each of the texts`);
      const opener = page.locator('.opener').first();
      if (await opener.isVisible()) {
        await opener.click();
        const dialog = page.getByRole('dialog').first();
        await dialog.waitFor();
        await dialog.locator(LOADING).first().waitFor({ state: 'detached' });
        await assertOnlyText(page, `${name}, opened`);
      }
      return [];
    });
    assert.deepEqual([dialogs, faults], [[], []]);
  });

async function assertOnlyText(page: Page, state: string): Promise<void> {
  assert.deepEqual(await page.evaluate<string[]>(MADE), [], `${state}: none became an element`);
  assert.equal(await page.evaluate('globalThis.hostile'), undefined, state);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  assert.ok(width <= (page.viewportSize()?.width ?? 0), `${state}: ${width} px`);
}

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
  'Impuestos retenidos': [],
  Métricas: [],
  Facturas: [],
  Conexiones: [press(/^Conectar otra cuenta/), press('¿Está todo?'), press(/^Desconectar/)],
  Uso: [],
  Ajustes: [],
};

async function openDemo(t: TestContext): Promise<Page> {
  const page = await (await openBrowser(t, { storageState: signedIn })).newPage();
  page.setDefaultTimeout(STEP_MS);
  return page;
}

/** Every fault of every screen at once. */
async function inEveryScreen(
  page: Page,
  look: (name: string, address: string) => Promise<string[]>,
): Promise<void> {
  await setLook(page, LOOKS[0]);
  const found: string[] = [];
  for (const [name, address] of Object.entries(screens))
    found.push(
      ...(await look(name, address).catch((error: Error) => [`${name}: ${error.message}`])),
    );
  assert.deepEqual(found, []);
}

function isOfScreen({ pathname }: URL): boolean {
  return pathname.startsWith('/panel/api/') && !OF_FRAME.some((name) => pathname.endsWith(name));
}
