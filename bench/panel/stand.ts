import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { newId } from '../../src/platform/ids.ts';
import { CHROMIUM, chooseFirstPassword, enter } from '../../tests/support/chromium.ts';
import { cli, type DataSet } from '../data.ts';
import type { Served } from '../processes.ts';
import { type BarePage, serveBarePage } from './bare-page.ts';

const PASSWORD = 'cuatro tazas azules';
const DESKTOP = { width: 1366, height: 768 };
const MOST_MILLISECONDS = 120_000;

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What the rows of the panel are measured with. */
export interface PanelStand {
  readonly set: DataSet;
  readonly rounds: number;
  readonly bare: BarePage;
  /** Of the product. */
  readonly url: string;
  /** Addresses of the screens of the organisation with the orders begin with it. */
  readonly panel: string;
  readonly session: Session;
  readonly closing: AsyncDisposableStack;
  /** Runs in a window with an empty cache, signed in as the owner, whose pages are watched. */
  inWindow<T>(work: (page: Page) => Promise<T>): Promise<T>;
}

export async function openPanelStand(
  set: DataSet,
  instance: Served,
  closing: AsyncDisposableStack,
  rounds: number,
): Promise<PanelStand> {
  const url = `http://localhost:${instance.port}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  closing.defer(() => browser.close());
  const session = await signIn(browser, set, url);
  return {
    set,
    rounds,
    closing,
    url,
    session,
    panel: `${url}/panel/${set.big.organizationId}`,
    bare: await serveBarePage(set.big.orders, closing),
    inWindow: (work) =>
      windowed(browser, { storageState: session }, async (page) => {
        await page.addInitScript(WATCH);
        return work(page);
      }),
  };
}

/** As a new owner: a run that was stopped may have left one without a password. */
async function signIn(browser: Browser, set: DataSet, url: string): Promise<Session> {
  const environment = { DATABASE_URL: set.url, MASTER_KEY: set.masterKey };
  const email = `duena-${newId()}@banco.example`;
  const who = ['--organization', set.big.organizationId, '--email', email, '--role', 'owner'];
  const { link } = await cli(environment, 'create-user', ...who);
  const { pathname, search } = new URL(link as string);
  return windowed(browser, {}, async (page) => {
    await page.goto(`${url}${pathname}${search}`);
    await chooseFirstPassword(page, PASSWORD);
    await page.goto(`${url}/entrar`);
    await enter(page, { email, password: PASSWORD });
    await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
    return page.context().storageState();
  });
}

/** A window of its own, with an empty cache. */
async function windowed<T>(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'es-MX', viewport: DESKTOP, ...options });
  context.setDefaultTimeout(MOST_MILLISECONDS);
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** What the browser itself measures, in milliseconds since the page began. */
interface Watched {
  readonly largestPaint: number;
  /** When a row of data was drawn; 0 = not yet. */
  readonly firstRow: number;
  readonly shift: number;
  readonly tasks: readonly { readonly at: number; readonly took: number }[];
  /** From an input to the next frame. */
  readonly inputs: readonly { readonly at: number; readonly took: number; readonly name: string }[];
}

const WATCH = `
  globalThis.watched = { largestPaint: 0, firstRow: 0, shift: 0, tasks: [], inputs: [] };
  const look = () => {
    if (document.querySelector('.opener, table:not(.data) td')) watched.firstRow = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const watch = (type, note, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more });
  watch('largest-contentful-paint', ({ startTime }) => { watched.largestPaint = startTime; });
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) watched.shift += value; });
  watch('longtask', ({ startTime, duration }) => watched.tasks.push({ at: startTime, took: duration }));
  watch('event', ({ startTime, duration, name }) =>
    watched.inputs.push({ at: startTime, took: duration, name }), { durationThreshold: 16 });`;

export function watched(page: Page): Promise<Watched> {
  return page.evaluate<Watched>('globalThis.watched');
}
