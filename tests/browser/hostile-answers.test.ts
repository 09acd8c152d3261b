import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openDemo } from './support/demo.ts';
import { inEveryScreen, isOfScreen, LOADING, openWindow } from './support/every-screen.ts';
import { hostileAnswers, MADE } from './support/hostile-answers.ts';
import { HOSTILE_TEXTS } from './support/hostile-texts.ts';
import { LOOKS, setLook } from './support/looks.ts';
import { screensOf, show } from './support/panel-page.ts';

// Whatever text the server answers with is text on every screen of the navigation.

/** The demo has no certificates, without which taxes withheld have no text of others. */
const GIVEN = {
  'withheld.list': {
    data: [
      {
        ...{ period: '2026-10', ledger: [], ledger_total: 1, certified_total: 1, difference: 0 },
        certificates: [{ uuid: 'Folio', issuer_rfc: 'Emisor', isr: 1, iva: 1, base: 1 }],
      },
    ],
  },
};
/** A screen of few texts is loaded again for the others. */
const MOST_LOADS = 20;

/** High enough for every row. */
const TALL = [
  { ...LOOKS[1], height: 10_000 },
  { ...LOOKS[0], height: 4_000 },
];

let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
let screens: Readonly<Record<string, string>>;

before(async () => {
  if (noBrowser) return;
  const demo = await openDemo();
  ({ signedIn } = demo);
  screens = await screensOf(demo.page);
});

const HALVES = ['first', 'second'] as const;
for (const [half, name] of HALVES.entries())
  test(`every text of the server may be hostile, on each screen and in its drawer, at 1366 and 390 px: the ${name} half`, {
    skip: noBrowser,
  }, async (t) => {
    const own = Object.entries(screens).filter((_, index) => index % HALVES.length === half);
    assert.ok(own.length > 0);
    await assertHostile(t, Object.fromEntries(own));
  });

async function assertHostile(t: TestContext, own: typeof screens): Promise<void> {
  const page = await openWindow(t, signedIn);
  const faults = faultsOf(page);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const hostile = hostileAnswers(GIVEN);
  await page.route(isOfScreen, hostile.answer);
  await inEveryScreen(own, async (name, address) => {
    const left = new Set(HOSTILE_TEXTS);
    for (let load = 0; load < MOST_LOADS && left.size > 0; load++) {
      await show(page, address);
      await page.locator(LOADING).first().waitFor({ state: 'detached' });
      await assertOnlyText(page, name);
      for (const text of hostile.served()) left.delete(text);
    }
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
}

async function assertOnlyText(page: Page, state: string): Promise<void> {
  for (const look of TALL) {
    await setLook(page, look);
    const at = `${state}, ${look.width} px`;
    assert.deepEqual(await page.evaluate<string[]>(MADE), [], `${at}: none became an element`);
    assert.equal(await page.evaluate('globalThis.hostile'), undefined, at);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= look.width, `${at}: ${width} px`);
  }
}
