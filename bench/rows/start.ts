import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '../../src/platform/db/embedded.ts';
import { openTenant } from '../data.ts';
import { get } from '../load.ts';
import { residentMegabytes, startInstance } from '../processes.ts';
import { type Finding, median, type Stand } from '../stand.ts';

const MOST_SECONDS = 2;
const MOST_MEGABYTES = 200;
/** `src/app/start-memory.ts` gives back what the start left, a second after it. */
const IDLE_MS = 2_500;

/** P8: from nothing to the first answer, and the memory that it takes. */
export async function startUp(stand: Stand): Promise<Finding[]> {
  await using own = stand.closing.use(new AsyncDisposableStack());
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-bench-'));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: '',
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const { key } = await openTenant(environment, 'La que abre', 0);
  const memory: number[] = [];
  const open = async (more: Record<string, string> = {}, measured: number[] | null = null) => {
    await using instance = await startInstance({ ...environment, ...more }, get('/v1/me', key));
    if (measured) {
      await sleep(IDLE_MS);
      measured.push(residentMegabytes(instance.pid));
    }
    return instance.startedIn / 1000;
  };
  // The first start also makes the job queue's tables.
  await open();
  const cold = await repeat(stand.rounds, () => open());
  const server = await openEmbedded({ dataDir: folder });
  own.defer(server.close);
  const url = new URL(`postgres://${server.user}@localhost:${server.port}/${server.database}`);
  url.searchParams.set('host', server.host);
  const warm = await repeat(stand.rounds, () => open());
  const served = await repeat(stand.rounds, () => open({ DATABASE_URL: url.href }, memory));
  const loaded = residentMegabytes(stand.instance.pid);
  return [
    started('with DATABASE_URL', served),
    started('embedded database running', warm),
    started('embedded database cold', cold),
    {
      row: 'P8',
      what: 'memory of the process',
      figure: `${Math.round(median(memory))} MB idle, ${Math.round(loaded)} MB after this run's load`,
      ratios: [],
      bar: `≤ ${MOST_MEGABYTES} MB`,
      passes: median(memory) <= MOST_MEGABYTES,
      limit: 'Without the database.',
    },
  ];
}

function started(what: string, seconds: number[]): Finding {
  return {
    row: 'P8',
    what: `start to the first 200 of /v1/me, ${what}`,
    figure: `${median(seconds).toFixed(2)} s`,
    ratios: seconds,
    bar: `≤ ${MOST_SECONDS} s`,
    passes: median(seconds) <= MOST_SECONDS,
    limit: 'Loading modules, then the schema, the job queue and the listener, one after the other.',
  };
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const figures: number[] = [];
  for (let time = 0; time < times; time++) figures.push(await work());
  return figures;
}
