import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { codeOf } from './visitor.ts';

/** The shell is the same engine without a window: a third less processor time. */
const OF_DEBIAN = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

export const CHROMIUM = process.env.CHROMIUM || (OF_DEBIAN.find(existsSync) ?? OF_DEBIAN[0]);

/** For one step, on a machine that is busy with other work; less where a step must fail. */
const MOST_MILLISECONDS = Number(process.env.STEP_SECONDS ?? 120) * 1_000;

/** Why no browser can be had; false when one can. For `skip` of a test. */
export const noBrowser: string | false = existsSync(CHROMIUM)
  ? false
  : `there is no ${CHROMIUM}: name a Chromium with CHROMIUM`;

/** A window with cookies of its own, closed after the test. */
export async function openBrowser(
  t: Pick<TestContext, 'after'>,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  running ??= launch();
  const viewport = { width: 390, height: 844 };
  const browser = await running;
  const context = await browser.newContext({ locale: 'es-MX', viewport, ...options });
  t.after(async () => {
    // What a page still fetches is answered by nothing any more.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  context.setDefaultTimeout(MOST_MILLISECONDS);
  return context;
}

/** One browser for all windows of a file: a start takes a second of processor time. */
let running: Promise<Browser> | null = null;

function launch(): Promise<Browser> {
  const launched = chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  WHOLE_FILE.after(async () => {
    running = null;
    await (await launched).close();
  });
  return launched;
}

/** What is typed at `/entrar`. */
export interface Login {
  readonly email: string;
  readonly password: string;
}

/** Fills in the page at `/entrar`. */
export async function enter(page: Page, { email, password }: Login): Promise<void> {
  await page.getByLabel('Correo').fill(email);
  await page.getByLabel('Contraseña').fill(password);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
}

/** On the page of the link that a new person gets. */
export async function chooseFirstPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Contraseña', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Guardar contraseña' }).click();
}

/** Ends on the page of one's account. @returns the key of the app that shows codes */
export async function turnOnSecondFactor(page: Page, password: string): Promise<string> {
  await page.goto(new URL('/cuenta', page.url()).href);
  await page.getByRole('link', { name: 'Activar la verificación en dos pasos' }).click();
  await page.getByLabel('Tu contraseña').fill(password);
  await page.getByRole('button', { name: 'Continuar' }).click();
  const key = (await page.locator('#clave').textContent()) ?? '';
  assert.equal(await page.locator('.codes li').count(), 10);
  await page.getByLabel('Código de tu aplicación').fill(codeOf(key));
  await page.getByRole('button', { name: 'Activar' }).click();
  await page.getByText('La verificación en dos pasos quedó activa.').waitFor();
  return key;
}

/**
 * A device; one that verifies asks for its owner's finger, and gets it. @returns what takes it away
 */
export async function addAuthenticator(
  page: Page,
  { verifies }: { verifies: boolean },
): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: verifies ? 'internal' : 'usb',
      hasResidentKey: true,
      hasUserVerification: verifies,
      isUserVerified: verifies,
    },
  });
  return async () => {
    await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await session.detach();
  };
}

/** What the browser complains of, the content policy included. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A refused code is answered with 401, which the console repeats.
    if (message.type() === 'error' && !message.text().includes('status of 401'))
      faults.push(message.text());
  });
  return faults;
}
