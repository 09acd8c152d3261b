import { loadBeside } from '../beside.ts';
import { get } from '../load.ts';
import { type Finding, median, type Stand } from '../stand.ts';
import { honesty } from './honesty.ts';

const CONNECTIONS = 16;

/** P1: pages of fifty for all organisations at once, with all that is checked and counted. */
export async function page(stand: Stand): Promise<Finding[]> {
  const peer = await stand.peer('pages');
  const instance = get('/v1/orders?limit=50', stand.set.big.key);
  const beside = (way: string) =>
    loadBeside(stand, peer, { instance, peer: get(`/${way}?limit=50`), connections: CONNECTIONS });
  const rows = await beside('rows');
  const joined = await beside('joined');
  const guard = await honesty(stand, peer, CONNECTIONS);
  const what = `page of 50 orders, ${CONNECTIONS} connections`;
  return [
    guarded(guard, {
      row: 'P1',
      what,
      figure: rows.figure,
      ratios: rows.ratios,
      bar: '≥ 0.80',
      passes: median(rows.ratios) >= 0.8,
      limit: rows.spending,
    }),
    {
      row: 'P1',
      what: `${what}, beside our own query without checks`,
      figure: joined.figure,
      ratios: joined.ratios,
      bar: 'none',
      passes: true,
      limit: joined.spending,
    },
    guard,
  ];
}

/** Beside a peer that was not shown to be strong, a figure shows nothing. */
function guarded(guard: Finding, finding: Finding): Finding {
  if (guard.passes) return finding;
  return { ...finding, passes: false, isMeasured: false };
}
