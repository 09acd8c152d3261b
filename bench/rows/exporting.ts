import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, hammer } from '../load.ts';
import { startProgram } from '../processes.ts';
import { type Finding, median, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const CONNECTIONS = 16;
const FORMATS = ['csv', 'xlsx'];
const BAR = 0.77;
const LOOK_EVERY_MS = 10;

/** P16: the page of P1 while an export of the same organisation runs, and while none does. */
export async function exporting(stand: Stand): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-bench-'));
  stand.closing.defer(() => rm(folder, { recursive: true, force: true }));
  const findings: Finding[] = [];
  for (const format of FORMATS) findings.push(await beside(stand, folder, format));
  return findings;
}

async function beside(stand: Stand, folder: string, format: string): Promise<Finding> {
  const load = async () => {
    const { perSecond } = await hammer(
      stand.instance.port,
      get('/v1/orders?limit=50', stand.set.big.key),
      { connections: CONNECTIONS, milliseconds: stand.turnMilliseconds },
    );
    return perSecond;
  };
  let turn = 0;
  const bytes: number[] = [];
  // Both sides start an export, so that the load meets the same machine.
  const quietly = async () => {
    const file = join(folder, `${++turn}.${format}`);
    await (await startExport(stand, file, format))[Symbol.asyncDispose]();
    return load();
  };
  const duringExport = async () => {
    const file = join(folder, `${++turn}.${format}`);
    await using _running = await startExport(stand, file, format);
    const perSecond = await load();
    if (existsSync(file)) throw new Error('the export ended before the load');
    bytes.push((await stat(`${file}.part`)).size);
    return perSecond;
  };
  // The first turn only warms up.
  await load();
  const { quiet, busy } = await takeTurns(stand.rounds, {
    quiet: quietly,
    busy: duringExport,
  });
  const ratios = ratiosOf(busy, quiet);
  const written = median(bytes) / (stand.turnMilliseconds / 1_000);
  return {
    row: 'P16',
    what: `page of 50 orders, ${CONNECTIONS} connections, beside an export as ${format}`,
    figure: `${Math.round(median(busy))}/s beside ${Math.round(median(quiet))}/s without it`,
    ratios,
    bar: `≥ ${BAR}`,
    passes: median(ratios) >= BAR,
    limit: `The export begins just before each turn, wrote ${Math.round(written / 1_000)} kB a second meanwhile, and is killed after it.`,
  };
}

/** An export that is about to read its first page. */
async function startExport({ set }: Stand, file: string, format: string) {
  const what = ['--what', 'orders', '--format', format, '--out', file];
  const running = startProgram(
    'src/cli.ts',
    ['export', '--organization', set.big.organizationId, ...what],
    { DATABASE_URL: set.url, MASTER_KEY: set.masterKey },
  );
  while (!existsSync(`${file}.part.json`)) {
    if (running.hasEnded()) throw new Error('the export did not begin');
    await sleep(LOOK_EVERY_MS);
  }
  return running;
}
