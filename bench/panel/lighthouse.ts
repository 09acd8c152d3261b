import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../../tests/support/chromium.ts';
import { run } from '../processes.ts';
import { type Finding, median, notMeasured } from '../stand.ts';
import type { PanelStand } from './stand.ts';

// Lighthouse has a lockfile of its own, and is installed when the row is measured.

const FOLDER = 'bench/lighthouse';
const PROGRAM = `${FOLDER}/node_modules/lighthouse/cli/index.js`;
const BARS = { performance: 90, accessibility: 100, 'best-practices': 100 } as const;
const MOST_LAYOUT_SHIFT = 0.05;
type Category = keyof typeof BARS;
const CATEGORIES = Object.keys(BARS) as Category[];

/** Scores of five screens on a desktop. */
export async function lighthouse(stand: PanelStand): Promise<Finding[]> {
  const lack = await install();
  if (lack !== null) return [notMeasured({ row: 'U4', what: 'Lighthouse', bar: barOf() }, lack)];
  const screens = {
    Inicio: stand.panel,
    Órdenes: `${stand.panel}/ordenes`,
    Almacén: `${stand.panel}/almacen`,
    Conexiones: `${stand.panel}/conexiones`,
    Entrar: `${stand.url}/entrar`,
  };
  const findings: Finding[] = [];
  for (const [name, address] of Object.entries(screens)) {
    const isSignIn = address.endsWith('/entrar');
    await using browser = await openBrowser(isSignIn ? [] : stand.session.cookies);
    const scores: Record<Category, number>[] = [];
    const shifts: number[] = [];
    const faults = new Set<string>();
    for (let round = 0; round < stand.rounds; round++) {
      const report = await judge(address, browser.port);
      scores.push(report.scores);
      shifts.push(report.layoutShift);
      for (const fault of report.faults) faults.add(fault);
    }
    findings.push(...findingsOf(name, scores, [...faults]), shiftOf(name, shifts));
  }
  return findings;
}

function findingsOf(
  name: string,
  scores: readonly Record<Category, number>[],
  faults: readonly string[],
): Finding[] {
  return CATEGORIES.map((category) => {
    const ratios = scores.map((one) => one[category]);
    return {
      row: 'U4',
      what: `Lighthouse, ${name}, ${category}`,
      figure: String(median(ratios)),
      ratios,
      bar: `≥ ${BARS[category]}`,
      passes: median(ratios) >= BARS[category],
      limit: category === 'performance' ? '' : faults.join('; '),
    };
  });
}

function shiftOf(name: string, ratios: number[]): Finding {
  return {
    row: 'U4',
    what: `Lighthouse, ${name}, layout shift`,
    figure: median(ratios).toFixed(3),
    ratios,
    bar: `≤ ${MOST_LAYOUT_SHIFT}`,
    passes: median(ratios) <= MOST_LAYOUT_SHIFT,
    limit: '',
  };
}

/** @returns why it could not be installed; null when it is */
async function install(): Promise<string | null> {
  try {
    await run('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts']);
    return null;
  } catch (error) {
    return `npm could not install Lighthouse: ${String(error).split('\n', 1)[0]}`;
  }
}

interface Report {
  readonly scores: Record<Category, number>;
  readonly layoutShift: number;
  /** Audits of accessibility and best practices that found something. */
  readonly faults: readonly string[];
}

/**
 * A browser with these cookies, at a port. A header with them would reach the page and none of what
 * it asks for.
 */
async function openBrowser(cookies: PanelStand['session']['cookies']) {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-lighthouse-'));
  const args = ['--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'];
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    args,
  });
  await context.addCookies(cookies);
  const [port = ''] = (await readFile(join(folder, 'DevToolsActivePort'), 'utf8')).split('\n');
  return {
    port,
    async [Symbol.asyncDispose]() {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function judge(address: string, port: string): Promise<Report> {
  const args = [
    address,
    '--output=json',
    '--quiet',
    '--preset=desktop',
    `--only-categories=${CATEGORIES.join(',')}`,
    `--port=${port}`,
  ];
  const text = await run(process.execPath, [PROGRAM, ...args]);
  const { categories, audits, finalDisplayedUrl } = JSON.parse(text);
  if (new URL(finalDisplayedUrl).pathname !== new URL(address).pathname)
    throw new Error(`Lighthouse was led from ${address} to ${finalDisplayedUrl}`);
  if (JSON.stringify(audits['errors-in-console']).includes('401'))
    throw new Error(`Lighthouse was not signed in at ${address}`);
  const scores = Object.fromEntries(
    CATEGORIES.map((one) => [one, Math.round(categories[one].score * 100)]),
  ) as Record<Category, number>;
  const judged = CATEGORIES.filter((one) => one !== 'performance').flatMap(
    (one) => categories[one].auditRefs as { id: string; weight: number }[],
  );
  const faults = judged
    .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1)
    .map(({ id }) => `${id}${foundBy(audits[id].details?.items)}`);
  return { scores, layoutShift: audits['cumulative-layout-shift'].numericValue, faults };
}

interface FoundItem {
  readonly description?: string;
  readonly sourceLocation?: { readonly url?: string };
}

/** The first thing that an audit found, such as an error in the console and where it came from. */
function foundBy(items: readonly FoundItem[] = []): string {
  const [first] = items;
  const found = [first?.description, first?.sourceLocation?.url].filter(Boolean);
  return found.length === 0 ? '' : ` (${found.join(', ')})`;
}

function barOf(): string {
  const scores = CATEGORIES.map((one) => `${one} ≥ ${BARS[one]}`);
  return [...scores, `layout shift ≤ ${MOST_LAYOUT_SHIFT}`].join(', ');
}
