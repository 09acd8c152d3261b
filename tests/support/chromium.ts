import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';

const PROGRAM = process.env.CHROMIUM || '/usr/bin/chromium';

/** Why no browser can be had; false when one can. For `skip` of a test. */
export const noBrowser: string | false = existsSync(PROGRAM)
  ? false
  : `there is no ${PROGRAM}: name a Chromium with CHROMIUM`;

/** A browser window of its own, closed after the test. */
export async function openBrowser(t: Pick<TestContext, 'after'>): Promise<BrowserContext> {
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  return browser.newContext({ locale: 'es-MX', viewport: { width: 390, height: 844 } });
}
