import { execFile } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { get, hammer } from '../load.ts';
import type { Served } from '../processes.ts';
import { type Finding, median, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const PLACES = [
  '/usr/lib/postgresql/18/bin',
  '/usr/lib/postgresql/17/bin',
  '/usr/lib/postgresql/16/bin',
  '/usr/lib/postgresql/15/bin',
  '/usr/bin',
];

/** A peer of our own making may not be a straw man: PostgreSQL's own load generator asks for the same page. */
export async function ceiling(stand: Stand, peer: Served, connections: number): Promise<Finding[]> {
  const program = await findPgbench();
  const about = { row: 'P1', what: 'the peer beside pgbench with the same query', bar: '≥ 0.50' };
  if (!program)
    return [{ ...about, figure: 'left out', ratios: [], passes: true, limit: 'There is no pgbench here.' }];
  const script = join(tmpdir(), `tianguis-page-${process.pid}.sql`);
  await writeFile(
    script,
    `select list_json, last_updated::text from orders where organization_id = '${stand.set.big.organizationId}' order by newest_first, marketplace, account_id, id limit 51;\n`,
  );
  const url = new URL(stand.set.url);
  const address = [
    '-h',
    url.searchParams.get('host') ?? url.hostname,
    '-p',
    url.port || '5432',
    '-U',
    url.username,
  ];
  const load = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '1', '-f', script];
  const pgbench = async () => {
    const seconds = String(Math.ceil(stand.turnMilliseconds / 1000));
    const args = [...address, ...load, '-T', seconds, url.pathname.slice(1)];
    const { stdout } = await promisify(execFile)(program, args, {
      env: { ...process.env, PGPASSWORD: url.password },
    });
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  };
  const milliseconds = stand.turnMilliseconds;
  const bare = async () =>
    (await hammer(peer.port, get('/?limit=50'), { connections, milliseconds })).perSecond;
  try {
    const figures = await takeTurns(stand.rounds, { bare, pgbench });
    const ratios = ratiosOf(figures.bare, figures.pgbench);
    return [
      {
        ...about,
        figure: `${Math.round(median(figures.bare))}/s beside ${Math.round(median(figures.pgbench))}/s`,
        ratios,
        passes: median(ratios) >= 0.5,
        limit: 'Under its bar, the peer would be too slow to be held against.',
      },
    ];
  } finally {
    await rm(script);
  }
}

async function findPgbench(): Promise<string | null> {
  for (const folder of PLACES) {
    const program = join(folder, 'pgbench');
    if (
      await access(program).then(
        () => true,
        () => false,
      )
    )
      return program;
  }
  return null;
}
