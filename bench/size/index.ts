/**
 * How the product carries many organisations on one server of data: an installation of 10,000
 * organisations, 40,000 accounts and a million orders, of which the page `docs/size.md` tells.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbedded } from '../../src/platform/db/embedded.ts';
import { openStill } from '../life.ts';
import { type Crowd, openCrowd, SERVICES } from './crowd.ts';
import { extrapolate } from './extrapolate.ts';
import {
  type Measured,
  measureBytes,
  measureHousekeeping,
  measurePages,
  measureRecording,
  measureTicks,
} from './measure.ts';
import { writePage } from './page.ts';
import { measureQuietRuns } from './quiet-runs.ts';

const FOLDER = 'data/bench/size';
const ORGANIZATIONS = 10_000;
/** Little, so that most of the data is read from the disk or from the system's memory. */
const SETTINGS = { shared_buffers: '256MB' };
/** No server listens there: a process of `ROLE=api` counts quotas by itself then. */
const NO_REDIS = 'redis://127.0.0.1:1';

/** @param orders of all organisations together */
export async function measureSize(orders: number, say: (line: string) => void): Promise<boolean> {
  await mkdir(FOLDER, { recursive: true });
  await using own = new AsyncDisposableStack();
  const { server, folder } = await openServer(own);
  const crowd = await openCrowd(server, ORGANIZATIONS, orders / ORGANIZATIONS, say);
  const size = await measureBytes(crowd);
  say(`${size.anOrder} bytes an order: ${size.largest}`);
  const pages = await measurePages(crowd, folder);
  const instance = await openStill({
    ...{ DATABASE_URL: crowd.url, MASTER_KEY: crowd.masterKey },
    ...{ ROLE: 'api', REDIS_URL: NO_REDIS },
  });
  own.defer(instance.close);
  const ticks = await measureTicks(instance, crowd);
  const recording = await measureRecording(instance, crowd);
  const runsASecond = await measureQuietRuns(instance, crowd, SERVICES);
  const housekeeping = await measureHousekeeping(instance);
  const rows = [...pages, ...ticks.rows, ...recording, ...housekeeping];
  rows.push(delayOf(crowd, runsASecond, ticks.dueASecond));
  for (const row of rows) say(`${row.what}: ${row.figure} (bar: ${row.bar})`);
  const seen = { ...crowd, ...ticks, bytes: size.total, runsASecond };
  await writePage(crowd, size, rows, extrapolate(seen));
  return rows.every(({ passes }) => passes);
}

/** Accounts are polled; marketplaces that send webhooks are earlier. */
function delayOf(crowd: Crowd, runsASecond: number, dueASecond: number): Measured {
  const workers = Math.ceil(dueASecond / runsASecond);
  return {
    what: 'delay of a change that only polling finds, p95, computed',
    figure:
      `285 s of a period of 300 s, as long as workers do the ${Math.round(dueASecond)} sync runs that become due a second; ` +
      `one process did ${runsASecond.toFixed(1)} a second here, so ${workers} for ${crowd.connections} accounts`,
    bar: 'none',
    passes: true,
  };
}

/** The server of DATABASE_URL, else an embedded one with the folder of its data. */
async function openServer(own: AsyncDisposableStack) {
  if (process.env.DATABASE_URL) return { server: process.env.DATABASE_URL, folder: null };
  const server = await openEmbedded({ dataDir: FOLDER, settings: SETTINGS });
  own.defer(server.close);
  const url = new URL(`postgres://${server.user}@localhost:${server.port}/postgres`);
  url.searchParams.set('host', server.host);
  return { server: url.href, folder: join(server.home, 'cluster', 'base') };
}
