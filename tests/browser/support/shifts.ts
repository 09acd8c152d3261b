import type { Page } from 'playwright-core';
import { LOADING } from './every-screen.ts';

const MOST_LAYOUT_SHIFT = 0.05;

/** Adds up what moved without being asked to, as Chromium measures it, from the first paint of each page. */
export const WATCH_SHIFTS = `
  globalThis.shifts = { layoutShift: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries().filter((one) => !one.hadRecentInput)) {
      shifts.layoutShift += value;
      shifts.moved.push(...sources.map(({ node }) => node ? node.nodeName + '.' + node.className : 'a removed node'));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** After a frame, in which the browser reports what the last one moved. */
const SHIFTS = `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shifts))))`;

/** What moved by more than may be, when the screen shows its data; by `WATCH_SHIFTS`. */
export async function faultOfShift(page: Page, name: string): Promise<string[]> {
  await page.waitForLoadState('networkidle');
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
  const { layoutShift, moved } = await page.evaluate<Shifts>(SHIFTS);
  return layoutShift > MOST_LAYOUT_SHIFT
    ? [`${name}: layout shift ${layoutShift.toFixed(3)} of ${moved.join(', ')}`]
    : [];
}

interface Shifts {
  readonly layoutShift: number;
  /** The elements, as many as the browser names. */
  readonly moved: readonly string[];
}
