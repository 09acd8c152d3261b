import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { WHOLE_FILE } from '../../spec/support/shop.ts';
import { openBrowser } from '../../support/chromium.ts';
import { eventually, startDemo } from '../../support/demo.ts';

/**
 * A demo of the file's own, filled, with its owner on Inicio.
 *
 * @param options of the first window
 * @returns `signedIn` opens further windows with the same session
 */
export async function openDemo(options: BrowserContextOptions = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-browser-'));
  // As root the database runs as another user, who needs access.
  await chmod(dataDir, 0o711);
  const demo = await startDemo(dataDir);
  WHOLE_FILE.after(() => demo.stop('SIGTERM'));
  WHOLE_FILE.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const output = demo.output();
  const [link = ''] = /http\S+\/demo\/entrar\?clave=\S+/.exec(output) ?? [];
  const [, email = '', password = ''] = /navegador: (\S+), contraseña (\S+)/.exec(output) ?? [];
  const page = await (await openBrowser(WHOLE_FILE, options)).newPage();
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
  const signedIn = await page.context().storageState();
  return { page, signedIn, url: new URL(link).origin, owner: { email, password } };
}

/**
 * Waits until the demo has read so much that the panel's operation answers with it.
 * @param home the address of Inicio
 */
export async function answered(
  page: Page,
  home: string,
  operation: string,
  part: RegExp,
): Promise<void> {
  const address = home.replace('/panel/', '/panel/api/');
  await eventually(operation, async () => {
    const answer = await page.request.get(`${address}/${operation}`);
    return part.test(await answer.text());
  });
}
