import { loadBeside } from '../beside.ts';
import { get } from '../load.ts';
import { type Finding, median, type Stand } from '../stand.ts';
import { ceiling } from './ceiling.ts';

const CONNECTIONS = 16;

/** P1: pages of fifty for everybody at once, with all that is checked and counted. */
export async function page(stand: Stand): Promise<Finding[]> {
  const peer = await stand.peer('pages');
  const { ratios, figure, spending } = await loadBeside(stand, peer, {
    house: get('/v1/orders?limit=50', stand.set.big.key),
    peer: get('/?limit=50'),
    connections: CONNECTIONS,
  });
  const finding = {
    row: 'P1',
    what: `page of 50 orders, ${CONNECTIONS} connections`,
    figure,
    ratios,
    bar: '≥ 0.80',
    passes: median(ratios) >= 0.8,
    limit: spending,
  };
  return [finding, ...(await ceiling(stand, peer, CONNECTIONS))];
}
