import { appendFile, mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { openEmbedded } from '../src/platform/db/embedded.ts';
import { at, type DataSet, openDataSet } from './data.ts';
import { get } from './load.ts';
import { measureMigrations } from './migrations.ts';
import { lighthouse } from './panel/lighthouse.ts';
import { answering, firstLoad, scrolling } from './panel/rows.ts';
import { openPanelStand, type PanelStand } from './panel/stand.ts';
import { endAll, processorSeconds, type Served, start, startInstance } from './processes.ts';
import { agents } from './rows/agents.ts';
import { bytes } from './rows/bytes.ts';
import { cfdis } from './rows/cfdis.ts';
import { compiledPage } from './rows/compiled-page.ts';
import { exporting } from './rows/exporting.ts';
import { growth } from './rows/growth.ts';
import { knownPeers, type PeersStand } from './rows/known-peers.ts';
import { notices } from './rows/notices.ts';
import { page } from './rows/page.ts';
import { poll } from './rows/poll.ts';
import { receive } from './rows/receive.ts';
import { record } from './rows/record.ts';
import { startUp } from './rows/start.ts';
import { sync } from './rows/sync.ts';
import { twoProcesses } from './rows/two-processes.ts';
import { walk } from './rows/walk.ts';
import { measureSize } from './size/index.ts';
import { type Finding, median, type Stand } from './stand.ts';
import { measureTricks } from './tricks/measure.ts';

// How fast the product is, each figure beside its own ceiling in the same run. `--quick`: a tenth
// of the data and shorter turns. `--tricks`: instead, what each piece of code that is there for
// speed alone saves. `--migrations`: instead, how long each migration takes, and lets writers wait,
// with a million rows; words choose migrations. `--size`: instead, many organisations on one server. `--panel`: instead, the
// panel in a browser. `--peers`: instead, the order lists of programs that others keep. Other arguments: rows to be run, or words of tricks' names; none = all.

const ROWS: Record<string, (stand: Stand) => Promise<Finding[]>> = {
  P1: page,
  P2: growth,
  P3: poll,
  P4: walk,
  P5: record,
  P6: receive,
  P7: agents,
  P8: startUp,
  P9: sync,
  P12: notices,
  P13: cfdis,
  P14: compiledPage,
  P15: bytes,
  P16: exporting,
  // The last one: it ends the instance of the others.
  P11: twoProcesses,
};
const PANEL_ROWS: Record<string, (stand: PanelStand) => Promise<Finding[]>> = {
  U1: firstLoad,
  U2: scrolling,
  U3: answering,
  U4: lighthouse,
};
const PEER_ROWS: Record<string, (stand: PeersStand) => Promise<Finding[]>> = { P10: knownPeers };
const PEER_ORDERS = 20_000;
const PANEL_ORDERS = 10_000;
const PANEL_ROUNDS = 5;
const FOLDER = 'data/bench';
const RESULTS = 'bench/results.md';

const args = process.argv.slice(2);
const isQuick = args.includes('--quick');
const orders = isQuick ? 100_000 : 1_000_000;
const lengths = { rounds: isQuick ? 5 : 9, turnMilliseconds: isQuick ? 1_500 : 3_000 };

const closing = new AsyncDisposableStack();
closing.defer(endAll);
let isCutShort = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    isCutShort = true;
    await endAll();
    await closing.disposeAsync();
    process.exit(130);
  });
}
try {
  if (args.includes('--tricks')) await tryTricks();
  else if (args.includes('--migrations')) await tryMigrations();
  else if (args.includes('--size')) process.exitCode = (await measureSize(orders, say)) ? 0 : 1;
  else if (args.includes('--panel')) await tryPanel();
  else if (args.includes('--peers')) await tryPeers();
  else await tryRows();
} catch (error) {
  // What was under way when everything was ended fails, of course.
  if (!isCutShort) throw error;
} finally {
  await closing.disposeAsync();
}

async function tryPeers(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const set = await openDataSet(await openServer(), PEER_ORDERS, say);
  const environment = environmentOf(set);
  const folder = process.env.PEERS_DIR;
  const run = { closing, say, isCutShort: () => isCutShort, ...lengths };
  await report(await measure(PEER_ROWS, { set, environment, folder, ...run }), { set });
}

async function tryRows(): Promise<void> {
  const stand = await openStand();
  await report(await measure(ROWS, stand), stand);
}

async function tryPanel(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const set = await openDataSet(await openServer(), PANEL_ORDERS, say);
  const instance = closing.use(await startInstance(environmentOf(set)));
  const rounds = isQuick ? 1 : PANEL_ROUNDS;
  const stand = await openPanelStand(set, instance, closing, rounds);
  await report(await measure(PANEL_ROWS, stand), stand);
}

async function tryTricks(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await measureTricks(
    await openServer(),
    args.filter((arg) => !arg.startsWith('--')),
    say,
  );
}

async function tryMigrations(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const chosen = args.filter((arg) => !arg.startsWith('--'));
  await measureMigrations(await openServer(), orders, chosen, say);
}

async function openStand(): Promise<Stand> {
  await mkdir(FOLDER, { recursive: true });
  const set = await openDataSet(await openServer(), orders, say);
  const instance = closing.use(await startInstance(environmentOf(set)));
  const peers = new Map<string, Promise<Served>>();
  const { organizationId, key } = set.big;
  return {
    set,
    instance,
    closing,
    isQuick,
    ...lengths,
    databaseSeconds: () =>
      at(set.url, async (client) => {
        const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
        return rows.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
      }),
    peer(kind) {
      const environment = { DATABASE_URL: set.url, ORGANIZATION: organizationId, KEY: key };
      const firstRequest = get('/rows?limit=1', key);
      const peer =
        peers.get(kind) ??
        start({ file: 'bench/peers.ts', args: [kind], environment, firstRequest });
      peers.set(kind, peer);
      return peer;
    },
  };
}

function environmentOf({ url, masterKey }: DataSet): Record<string, string> {
  return { DATABASE_URL: url, MASTER_KEY: masterKey, HOST: '127.0.0.1' };
}

/** The server of DATABASE_URL, else an embedded one of the bench's own. */
async function openServer(): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const server = await openEmbedded({ dataDir: FOLDER });
  closing.defer(server.close);
  const url = new URL(`postgres://${server.user}@localhost:${server.port}/postgres`);
  url.searchParams.set('host', server.host);
  return url.href;
}

async function measure<On>(
  rows: Record<string, (stand: On) => Promise<Finding[]>>,
  stand: On,
): Promise<Finding[]> {
  const all: Finding[] = [];
  for (const [row, run] of Object.entries(rows)) {
    if (!args.every((arg) => arg.startsWith('--')) && !args.includes(row)) continue;
    const findings = await run(stand);
    for (const finding of findings) say(sentence(finding));
    all.push(...findings);
  }
  return all;
}

function sentence(finding: Finding): string {
  const { row, what, figure, ratios, bar, limit } = finding;
  return `${row} ${what}: ${figure}; ${held(ratios)} for a bar of ${bar}: ${verdictOf(finding)}. ${limit}`;
}

function verdictOf({ passes, isMeasured }: Finding): string {
  if (isMeasured === false) return 'not measured';
  return passes ? 'holds' : '**fails**';
}

function held(ratios: readonly number[]): string {
  if (ratios.length === 0) return '–';
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

async function report(findings: readonly Finding[], { set }: Pick<Stand, 'set'>): Promise<void> {
  const when = Temporal.Now.instant().toString({ smallestUnit: 'minute' });
  const [cpu] = cpus();
  const lines = [
    `\n## ${when}\n`,
    `${cpus().length} cores (${cpu?.model.trim()}), Node ${process.version}, PostgreSQL ${set.serverVersion}, ${set.big.orders} orders.\n`,
    '| row | what | figure | held against the bar | bar | | what limits it |',
    '|---|---|---|---|---|---|---|',
    ...findings.map(
      (finding) =>
        `| ${finding.row} | ${finding.what} | ${finding.figure} | ${held(finding.ratios)} | ${finding.bar} | ${verdictOf(finding)} | ${finding.limit} |`,
    ),
  ];
  await appendFile(RESULTS, `${lines.join('\n')}\n`);
  process.exitCode = findings.every(({ passes, isMeasured }) => passes || isMeasured === false)
    ? 0
    : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
