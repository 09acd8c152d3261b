import type { Page } from 'playwright-core';
import { accessibilityFaults } from './panel-page.ts';
import { englishIn } from './words.ts';

interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

/** Each scheme and each width once: colours do not depend on the width. */
export const LOOKS: readonly [Look, Look] = [
  { colorScheme: 'light', width: 1366, height: 768 },
  { colorScheme: 'dark', width: 390, height: 844 },
];

/** Each scheme at each width, and the narrowest phone. */
export const EVERY_LOOK: readonly Look[] = [
  ...LOOKS,
  { ...LOOKS[0], colorScheme: 'dark' },
  { ...LOOKS[1], colorScheme: 'light' },
  { ...LOOKS[1], width: 320 },
];

/**
 * A table becomes cards by a script that hears of the width: it has drawn when the page is idle,
 * and a page that is never idle has drawn after a second.
 */
const DRAWN = `new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1_000 })))`;

export async function setLook(page: Page, { colorScheme, ...size }: Look): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.evaluate(DRAWN);
}

interface Seen {
  /** Of the page for axe, as a selector; absent = the whole. */
  readonly part?: string;
  readonly looks?: readonly Look[];
  /** Some of its text is not ours: of a contract, of a carrier, or hostile. */
  readonly mayBeEnglish?: boolean;
}

/** Measured as text that is typed: it has the same room. */
const CUT_PLACEHOLDERS = `[...document.querySelectorAll('input[placeholder]')].filter((field) => {
  if (field.value !== '' || field.clientWidth === 0) return false;
  const { paddingRight } = getComputedStyle(field);
  Object.assign(field.style, { font: getComputedStyle(field, '::placeholder').font, paddingRight });
  field.value = field.placeholder;
  const isCut = field.scrollWidth > field.clientWidth;
  field.value = '';
  Object.assign(field.style, { font: '', paddingRight: '' });
  return isCut;
}).map((field) => field.placeholder)`;

/** What axe finds in each look, a width beyond the window, cut placeholders, and English words. */
export async function faultsInLooks(
  page: Page,
  state: string,
  { part = 'html', looks = LOOKS, mayBeEnglish = false }: Seen = {},
): Promise<string[]> {
  const found: string[] = [];
  const english = new Set<string>();
  for (const look of looks) {
    await setLook(page, look);
    const at = `${state}, ${look.colorScheme}, ${look.width} px`;
    for (const fault of await accessibilityFaults(page, part)) found.push(`${at}: ${fault}`);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > look.width) found.push(`${at}: ${width} px wide`);
    for (const text of await page.evaluate<string[]>(CUT_PLACEHOLDERS))
      found.push(`${at}: «${text}» is cut`);
    if (!mayBeEnglish) for (const line of await englishIn(page)) english.add(line);
  }
  for (const line of english) found.push(`${state}: «${line}» is English`);
  await setLook(page, LOOKS[0]);
  return found;
}
