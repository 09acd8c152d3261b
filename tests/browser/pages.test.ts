import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { EXPORT_PATHS } from '../../src/entrances/people/exports-pages.ts';
import { ROUTES } from '../../src/entrances/people/routes.ts';
import { createKey } from '../../src/features/keys/index.ts';
import { recordOrders } from '../../src/features/orders/index.ts';
import { changePlan } from '../../src/features/organizations/index.ts';
import { createEndpoint } from '../../src/features/webhooks-out/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { PRIVACY_PATH } from '../../src/platform/operator.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { soon } from '../spec/support/soon.ts';
import { anOrder } from '../support/app.ts';
import { enter, faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import {
  known,
  newcomer,
  openMailingInstance,
  openTeam,
  PASSWORD,
  register,
  signIn,
  withSecondFactor,
} from '../support/people.ts';
import { mailsTo, openVisitor, tokenIn, type Visitor } from '../support/visitor.ts';
import { faultsInLooks } from './support/looks.ts';

// Every page of people that the server draws, found by its links as a person finds it.

/** A file, no page. */
const NO_PAGES: readonly string[] = [EXPORT_PATHS.file];
const GUEST = 'beto@tienda.example';

test('every page of people has no fault in any scheme and width, and no English word', {
  skip: noBrowser,
}, async (t) => {
  const clock = { ...systemClock, advance() {} };
  const { instance, folder } = await openMailingInstance(WHOLE_FILE, clock);
  const { owner, organizacion, join } = await openTeam(instance, folder);
  await join('warehouse');
  await withSecondFactor(owner.visitor);
  const beginner = await known(instance, folder);
  // Another device, whose session the account may close.
  await signIn(openVisitor(instance.url), beginner.email);
  await owner.visitor.post('/cuenta/miembros/invitar', {
    ...{ organizacion, correo: GUEST, rol: 'warehouse' },
  });
  await instance.app.database.write((handle) =>
    changePlan(handle, clock, { organizationId: organizacion, plan: 'avanzado', quota: null }),
  );
  await instance.app.database.within(organizacion).write(async (scope) => {
    await createKey(scope, 'operator', { name: 'Contabilidad' });
    const terms = { url: 'https://tienda.example/avisos', types: ['order.created'] } as const;
    await createEndpoint(scope, 'operator', { ...terms, isOperatorTrusted: false }, 5);
  });
  const { orderListeners, announce } = instance.app.exchange;
  await instance.app.database
    .within(organizacion)
    .write((scope) => recordOrders(scope, [anOrder()], [...orderListeners, announce]));

  const url = instance.app.exchange.publicUrl;
  const { visitor, email } = newcomer(instance);
  await register(visitor, email);
  await visitor.post('/recuperar', { correo: owner.email });
  const linkTo = async (path: string, to: string) => {
    let token = '';
    await soon(async () => {
      token = tokenIn(await mailsTo(folder, to, 1), path);
    });
    return `${path}?token=${encodeURIComponent(token)}`;
  };
  const guest = await (await openBrowser(t)).newPage();
  const page = await (await openBrowser(t)).newPage();
  const faults = [faultsOf(guest), faultsOf(page)];
  const seen = new Set<string>();
  const found: string[] = [];
  const look = async (on: Page) => {
    const { pathname } = new URL(on.url());
    seen.add(pathname);
    found.push(...(await faultsInLooks(on, pathname)));
  };

  for (const address of [
    await linkTo('/invitacion', GUEST),
    await linkTo('/verificar-correo', email),
    await linkTo('/restablecer', owner.email),
    ...['/registro', '/recuperar', '/entrar', PRIVACY_PATH],
  ]) {
    await guest.goto(`${url}${address}`);
    await look(guest);
  }
  await guest.goto(`${url}/entrar`);
  await enter(guest, { email: owner.email, password: PASSWORD });
  await guest.waitForURL(/segundo-paso/);
  await look(guest);

  await signInAs(page, owner.visitor, url);
  const left = ['/cuenta', '/cuenta/confirmar', '/cuenta/llaves/agregar'].map(
    (path) => `${url}${path}`,
  );
  for (let address = left.shift(); address; address = left.shift()) {
    const { pathname } = new URL(address);
    if (seen.has(pathname) || NO_PAGES.includes(pathname)) continue;
    await page.goto(address);
    await look(page);
    seen.add(pathname);
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'href'))));
    left.push(...links.filter((link) => link.startsWith(url) && isPage(new URL(link).pathname)));
  }
  await closesItsMenu(page);
  // Who has a second factor finds no page that turns one on.
  const other = await (await openBrowser(t)).newPage();
  faults.push(faultsOf(other));
  await signInAs(other, beginner.visitor, url);
  await lookAtOwnAccess(other, url, look);

  const unseen = Object.keys(ROUTES).filter((path) => isPage(path) && !seen.has(path));
  assert.deepEqual(unseen, [], 'every page was found');
  assert.deepEqual(found, []);
  const refused = faults.flat().filter((fault) => fault.includes('Content Security Policy'));
  assert.deepEqual(refused, []);
});

/** Closing the session of another device, and turning a second factor on. */
async function lookAtOwnAccess(
  page: Page,
  url: string,
  look: (on: Page) => Promise<void>,
): Promise<void> {
  await page.goto(`${url}/cuenta`);
  await page.getByRole('link', { name: 'Cerrar la sesión de' }).click();
  await look(page);
  await page.goto(`${url}/cuenta/segundo-paso`);
  await look(page);
  await page.getByLabel('Tu contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.locator('#clave').waitFor();
  await look(page);
  await showsItsPlace(page, `${url}${EXPORT_PATHS.list}`);
}

/** As the menus of the panel do. */
async function closesItsMenu(page: Page): Promise<void> {
  const menu = page.locator('.frame-person');
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('heading', { level: 1 }).click(),
  ]) {
    await menu.locator('summary').click();
    await menu.getByText('Cerrar sesión').waitFor();
    await close();
    await menu.getByText('Cerrar sesión').waitFor({ state: 'hidden' });
  }
}

/** On a phone, where the navigation is one row. */
async function showsItsPlace(page: Page, address: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address);
  const box = await page.locator('.frame-nav [aria-current="page"]').boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
}

async function signInAs(page: Page, { cookies }: Visitor, url: string): Promise<void> {
  const given = [...cookies].map(([name, value]) => ({ name, value, url }));
  await page.context().addCookies(given);
}

function isPage(path: string): boolean {
  return Object.hasOwn(ROUTES[path] ?? {}, 'GET') && !NO_PAGES.includes(path);
}
