import { loadBeside } from '../beside.ts';
import { compilePeer } from '../compiled.ts';
import { get } from '../load.ts';
import { start } from '../processes.ts';
import { type Finding, median, notMeasured, type Stand } from '../stand.ts';

const CONNECTIONS = 16;

/** P14: the page of P1 beside a peer in C, which the runtime of neither side slows down. */
export async function compiledPage(stand: Stand): Promise<Finding[]> {
  const { url, big } = stand.set;
  const about = {
    row: 'P14',
    what: `page of 50 orders, ${CONNECTIONS} connections, beside C and libpq`,
  };
  const bar = 'none';
  const compiled = await compilePeer();
  if (!compiled) return [notMeasured({ ...about, bar }, 'There is no gcc or no libpq here.')];
  stand.closing.use(compiled);
  const peer = stand.closing.use(
    await start({
      program: compiled.program,
      environment: { DATABASE_URL: url, ORGANIZATION: big.organizationId },
      firstRequest: get('/rows?limit=1'),
    }),
  );
  const { ratios, figure, spending } = await loadBeside(stand, peer, {
    instance: get('/v1/orders?limit=50', big.key),
    peer: get('/rows?limit=50'),
    connections: CONNECTIONS,
  });
  const passes = Number.isFinite(median(ratios));
  return [{ ...about, bar, figure, ratios, passes, limit: spending }];
}
