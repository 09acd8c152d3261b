import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Finding, median, takeTurns } from '../stand.ts';
import { type PanelStand, watched } from './stand.ts';

const PAINT_SECONDS = 1;
const TASK_MS = 50;
const INPUT_MS = 200;
/** As a hand on a wheel: four screens a second of 720 px, in small steps. */
const WHEEL_PX = 240;
const WHEEL_EVERY_MS = 16;
const WHEELS = 400;
const SETTLE_MS = 500;

/** The first load of Órdenes with an empty cache, and again with a full one. */
export async function firstLoad({ panel, bare, rounds, inWindow }: PanelStand): Promise<Finding[]> {
  const orders = `${panel}/ordenes`;
  const rows = { bare: [] as number[], cold: [] as number[], warm: [] as number[] };
  const load = (kind: keyof typeof rows, page: Page, address: string) =>
    loaded(page, address).then(({ paint, row }) => {
      rows[kind].push(row);
      return paint;
    });
  const paints = await takeTurns(rounds, {
    bare: () => inWindow((page) => load('bare', page, bare.first)),
    cold: () => inWindow((page) => load('cold', page, orders)),
    warm: () =>
      inWindow(async (page) => {
        await loaded(page, orders);
        return load('warm', page, orders);
      }),
  });
  return (['cold', 'warm'] as const).flatMap((cache) =>
    (
      [
        ['largest contentful paint', paints],
        ['first row of data', rows],
      ] as const
    ).map(([what, seconds]) => ({
      row: 'U1',
      what: `Órdenes with 10,000 orders, ${what}, ${cache} cache`,
      figure: `${inMs(seconds[cache])} ms beside ${inMs(seconds.bare)} ms of a bare page of 50 rows`,
      ratios: seconds[cache],
      bar: `≤ ${PAINT_SECONDS.toFixed(1)} s`,
      passes: median(seconds[cache]) <= PAINT_SECONDS,
      limit: 'Seconds; the browser, the product and its database share the machine.',
    })),
  );
}

/** In seconds. */
async function loaded(page: Page, address: string): Promise<{ paint: number; row: number }> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await pause(SETTLE_MS);
  const { largestPaint, firstRow } = await watched(page);
  return { paint: largestPaint / 1_000, row: firstRow / 1_000 };
}

/** Long tasks while all orders are scrolled through, and while they were read in. */
export async function scrolling(stand: PanelStand): Promise<Finding[]> {
  const { panel, bare, rounds, inWindow } = stand;
  const reading: number[] = [];
  const longest = await takeTurns(rounds, {
    bare: () => inWindow((page) => page.goto(bare.whole).then(() => longestWhileScrolling(page))),
    panel: () =>
      inWindow(async (page) => {
        await openAll(page, panel, stand.set.big.orders);
        reading.push(await longestSince(page, 0));
        return longestWhileScrolling(page);
      }),
  });
  const row = (what: string, tasks: number[], beside: string): Finding => ({
    row: 'U2',
    what,
    figure: `${Math.round(median(tasks))} ms${beside}`,
    ratios: tasks,
    bar: `≤ ${TASK_MS} ms`,
    passes: median(tasks) <= TASK_MS,
    limit: 'Milliseconds of the longest task of each round; 0 = none over 50 ms.',
  });
  return [
    row(
      'longest task while 10,000 rows scroll',
      longest.panel,
      ` beside ${Math.round(median(longest.bare))} ms of 10,000 bare rows`,
    ),
    { ...row('longest task while they are read in', reading, ''), bar: 'none', passes: true },
  ];
}

/** Reads page after page until every order is in the list. */
async function openAll(page: Page, panel: string, orders: number): Promise<void> {
  await page.goto(`${panel}/ordenes`);
  const table = page.locator('table.data');
  await table.waitFor();
  const count = async () => Number(await table.getAttribute('aria-rowcount')) - 1;
  while ((await count()) < orders) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await pause(WHEEL_EVERY_MS);
  }
  await page.evaluate('scrollTo(0, 0)');
  await pause(SETTLE_MS);
}

async function longestWhileScrolling(page: Page): Promise<number> {
  await pause(SETTLE_MS);
  const from = await page.evaluate<number>('performance.now()');
  await page.mouse.move(600, 500);
  for (let wheel = 0; wheel < WHEELS; wheel++) {
    await page.mouse.wheel(0, WHEEL_PX);
    await pause(WHEEL_EVERY_MS);
  }
  // Far jumps too, as by the bar at the side.
  for (const part of [0.9, 0.1, 0.5, 1, 0]) {
    await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part})`);
    await pause(SETTLE_MS);
  }
  return longestSince(page, from);
}

async function longestSince(page: Page, from: number): Promise<number> {
  const { tasks } = await watched(page);
  return Math.max(0, ...tasks.filter(({ at }) => at >= from).map(({ took }) => took));
}

/** From an input to the next frame, with all orders in the list. */
export async function answering(stand: PanelStand): Promise<Finding[]> {
  const slowest: Record<string, number[]> = {};
  for (let round = 0; round < stand.rounds; round++)
    await stand.inWindow(async (page) => {
      await openAll(page, stand.panel, stand.set.big.orders);
      for (const [what, act] of Object.entries(ACTS)) {
        const from = await page.evaluate<number>('performance.now()');
        await act(page);
        await pause(SETTLE_MS);
        const inputs = (await watched(page)).inputs.filter(({ at }) => at >= from);
        slowest[what] = [...(slowest[what] ?? []), Math.max(0, ...inputs.map(({ took }) => took))];
      }
    });
  return Object.entries(slowest).map(([what, took]) => ({
    row: 'U3',
    what: `${what}, with 10,000 rows in the list`,
    figure: `${Math.round(median(took))} ms to the next frame`,
    ratios: took,
    bar: `≤ ${INPUT_MS} ms`,
    passes: median(took) <= INPUT_MS,
    limit: 'Milliseconds of the slowest input of each round; 0 = none over 16 ms.',
  }));
}

const ACTS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async 'an order is opened'(page) {
    await page.locator('table .opener').nth(3).click();
    await page.getByRole('dialog').getByText('Historial').first().waitFor();
  },
  async 'its drawer is closed'(page) {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  async 'the arrows go through rows'(page) {
    await page.locator('table .opener').nth(3).focus();
    for (let row = 0; row < 10; row++) await page.keyboard.press('ArrowDown');
  },
  async 'a word is typed into the search of the header'(page) {
    await page.keyboard.press('/');
    await page.keyboard.type('Taza azul', { delay: 30 });
  },
  async 'another screen is opened'(page) {
    await page.getByRole('navigation').getByRole('link', { name: 'Ventas', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Ventas' }).waitFor();
  },
};

function inMs(seconds: readonly number[]): number {
  return Math.round(median(seconds) * 1_000);
}
