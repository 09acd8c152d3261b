import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../../support/chromium.ts';
import { LOOKS, setLook } from './looks.ts';

/** What stands where data will be. */
export const LOADING = '.ghost, [aria-busy=true]';
/** What surrounds a screen, whatever its own state. */
const OF_FRAME = ['frame.read', 'clock.read'];
const STEP_MS = 30_000;

/** Whether a screen asks for this itself, and not its frame. */
export function isOfScreen({ pathname }: URL): boolean {
  return pathname.startsWith('/panel/api/') && !OF_FRAME.some((name) => pathname.endsWith(name));
}

export async function openWindow(
  t: TestContext,
  storageState: NonNullable<BrowserContextOptions['storageState']>,
): Promise<Page> {
  const page = await (await openBrowser(t, { storageState })).newPage();
  page.setDefaultTimeout(STEP_MS);
  await setLook(page, LOOKS[0]);
  return page;
}

/** Every fault of every screen at once. */
export async function inEveryScreen(
  screens: Readonly<Record<string, string>>,
  look: (name: string, address: string) => Promise<string[]>,
): Promise<void> {
  const found: string[] = [];
  for (const [name, address] of Object.entries(screens))
    found.push(
      ...(await look(name, address).catch((error: Error) => [`${name}: ${error.message}`])),
    );
  assert.deepEqual(found, []);
}
