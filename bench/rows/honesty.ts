import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get, hammer } from '../load.ts';
import { run, type Served } from '../processes.ts';
import { type Finding, median, notMeasured, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const PLACES = [
  '/usr/lib/postgresql/18/bin',
  '/usr/lib/postgresql/17/bin',
  '/usr/bin',
  '/usr/local/bin',
];
const SCRIPT = 'data/bench/page.sql';

/**
 * Holds our own peer against PostgreSQL's load generator, which asks for the same page: is it
 * strong enough?
 */
export async function honesty(stand: Stand, peer: Served, connections: number): Promise<Finding> {
  const about = { row: 'P1', what: 'the peer beside pgbench with the same query', bar: '≥ 0.50' };
  const pgbench = await findPgbench();
  if (!pgbench) return notMeasured(about, 'There is no pgbench here.');
  const { organizationId } = stand.set.big;
  await writeFile(
    SCRIPT,
    `select list_json from orders where organization_id = '${organizationId}' order by newest_first, marketplace, account_id, id limit 51;\n`,
  );
  const milliseconds = stand.turnMilliseconds;
  const url = new URL(stand.set.url);
  const args = [
    ...[
      '-h',
      url.searchParams.get('host') ?? url.hostname,
      '-p',
      url.port || '5432',
      '-U',
      url.username,
    ],
    ...[
      '-n',
      '-M',
      'prepared',
      '-c',
      `${connections}`,
      '-j',
      '1',
      '-T',
      `${Math.ceil(milliseconds / 1000)}`,
    ],
    ...['-f', SCRIPT, url.pathname.slice(1)],
  ];
  const figures = await takeTurns(stand.rounds, {
    bare: async () =>
      (await hammer(peer.port, get('/rows?limit=50'), { connections, milliseconds })).perSecond,
    pgbench: async () =>
      Number(/tps = ([\d.]+)/.exec(await run(pgbench, args, { PGPASSWORD: url.password }))?.[1]),
  });
  const ratios = ratiosOf(figures.bare, figures.pgbench);
  return {
    ...about,
    figure: `${Math.round(median(figures.bare))}/s beside ${Math.round(median(figures.pgbench))}/s`,
    ratios,
    passes: median(ratios) >= 0.5,
    limit: 'Under its bar the peer is too slow to be held against, and P1 counts as not measured.',
  };
}

async function findPgbench(): Promise<string | null> {
  for (const folder of PLACES) {
    const program = join(folder, 'pgbench');
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}
