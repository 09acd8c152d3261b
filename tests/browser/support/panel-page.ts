import type { TestContext } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { openBrowser } from '../../support/chromium.ts';
import type { Known } from '../../support/people.ts';

/**
 * A page of the panel in a real browser, with the session of a person who signed in already.
 *
 * @param path after the organisation, such as `/inventario`
 */
export async function openPanelPage(
  t: Pick<TestContext, 'after'>,
  at: TestApp,
  { person, organizacion, path }: { person: Known; organizacion: string; path: string },
  options: Parameters<typeof openBrowser>[1] = {},
) {
  const url = at.app.exchange.publicUrl;
  const context = await openBrowser(t, { viewport: { width: 1366, height: 768 }, ...options });
  const cookies = [...person.visitor.cookies].map(([name, value]) => ({ name, value, url }));
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${url}/panel/${organizacion}${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return page;
}
