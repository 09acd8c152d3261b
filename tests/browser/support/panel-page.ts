import type { TestContext } from 'node:test';
import axe from 'axe-core';
import type { Page, Route } from 'playwright-core';
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

/** The panel's screens in the navigation of a page: their addresses by their names. */
export async function screensOf(page: Page): Promise<Record<string, string>> {
  const links = page.getByRole('navigation').first().getByRole('link');
  await links.first().waitFor();
  const all = await links.evaluateAll((found) =>
    found.map((link) => [link.textContent ?? '', String(Reflect.get(link, 'href'))] as const),
  );
  return Object.fromEntries(all.filter(([, address]) => address.includes('/panel/')));
}

/** Opens a page of the panel, and waits until nothing is loading any more. */
export async function show(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/**
 * Presses Enter, and looks at the page while an operation that this asks for is not answered.
 *
 * @param operation such as `alerts.settle`
 */
export async function whileAsked(
  page: Page,
  operation: string,
  look: () => Promise<void>,
): Promise<void> {
  const looked = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    await looked.promise;
    await route.continue();
  };
  const address = `**/${operation}`;
  await page.route(address, hold, { times: 1 });
  try {
    await Promise.all([page.waitForRequest(address), page.keyboard.press('Enter')]);
    // What is disabled loses the focus with the next frame.
    await page.evaluate('new Promise((over) => requestAnimationFrame(() => setTimeout(over)))');
    await look();
  } finally {
    looked.resolve();
  }
}

/**
 * What axe finds, each with the elements concerned.
 *
 * @param part of the page, as a selector; absent = the whole
 */
export async function accessibilityFaults(page: Page, part = 'html'): Promise<string[]> {
  // Half a megabyte to parse, once a page; and what it found is made short there.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  return page.evaluate<string[]>(`(async () => {
    const { violations } = await axe.run('${part}', { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' '));
  })()`);
}
