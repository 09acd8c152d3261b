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

export async function setLook(page: Page, { colorScheme, ...size }: Look): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

/**
 * What axe finds in each look, a width beyond the window, and English words.
 *
 * @param part of the page for axe, as a selector
 */
export async function faultsInLooks(page: Page, state: string, part = 'html'): Promise<string[]> {
  const found: string[] = [];
  for (const look of LOOKS) {
    await setLook(page, look);
    const at = `${state}, ${look.colorScheme}, ${look.width} px`;
    for (const fault of await accessibilityFaults(page, part)) found.push(`${at}: ${fault}`);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > look.width) found.push(`${at}: ${width} px wide`);
  }
  for (const line of await englishIn(page)) found.push(`${state}: «${line}» is English`);
  await setLook(page, LOOKS[0]);
  return found;
}
