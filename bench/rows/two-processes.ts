import { availableParallelism } from 'node:os';
import { get, hammer } from '../load.ts';
import {
  hasRedis,
  processorSeconds,
  type Served,
  startInstance,
  startRedis,
} from '../processes.ts';
import { type Finding, median, notMeasured, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const CONNECTIONS = 16;
const LEAST_RATIO = 1.6;
/** Of the cores: with so much in use, more processes cannot do more. */
const FULL = 0.85;
const ABOUT = {
  row: 'P11',
  what: `page of 50 orders, ${CONNECTIONS} connections, two API processes and Redis beside one`,
  bar: `≥ ${LEAST_RATIO}, or ${FULL} of the cores in use`,
};

interface Turn {
  readonly perSecond: number;
  /** Processor seconds, a second. */
  readonly api: number;
  readonly database: number;
  readonly load: number;
}

/**
 * P11: what a second API process adds. The instance of the other rows ends first: it has no Redis,
 * and another one beside it is refused.
 */
export async function twoProcesses(stand: Stand): Promise<Finding[]> {
  if (!hasRedis()) return [notMeasured(ABOUT, 'There is no redis-server.')];
  await stand.instance[Symbol.asyncDispose]();
  await using own = stand.closing.use(new AsyncDisposableStack());
  const redis = own.use(await startRedis());
  const { url, masterKey, big } = stand.set;
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, HOST: '127.0.0.1' };
  const request = get('/v1/orders?limit=50', big.key);
  const open = async () =>
    own.use(await startInstance({ ...environment, ROLE: 'api', REDIS_URL: redis.url }, request));
  const both = [await open(), await open()];

  const turns: Record<'one' | 'two', Turn[]> = { one: [], two: [] };
  const turn = async (side: 'one' | 'two') => {
    const made = await measured(stand, side === 'one' ? both.slice(0, 1) : both, request);
    turns[side].push(made);
    return made.perSecond;
  };
  // The first turns only warm up.
  await turn('one');
  await turn('two');
  turns.one = [];
  turns.two = [];
  const figures = await takeTurns(stand.rounds, {
    one: () => turn('one'),
    two: () => turn('two'),
  });
  const ratios = ratiosOf(figures.two, figures.one);
  const typical = (side: 'one' | 'two', part: keyof Turn) =>
    median(turns[side].map((one) => one[part]));
  const cores = availableParallelism();
  const inUse = typical('two', 'api') + typical('two', 'database') + typical('two', 'load');
  const shown = (side: 'one' | 'two') =>
    `${typical(side, 'api').toFixed(2)} in the API, ${typical(side, 'database').toFixed(2)} in the database and ${typical(side, 'load').toFixed(2)} in the load`;
  return [
    {
      ...ABOUT,
      figure: `${Math.round(typical('two', 'perSecond'))}/s beside ${Math.round(typical('one', 'perSecond'))}/s`,
      ratios,
      passes: median(ratios) >= LEAST_RATIO || inUse >= FULL * cores,
      limit: `Of ${cores} cores, two processes use ${shown('two')}; one uses ${shown('one')}.`,
    },
  ];
}

/** The load is shared evenly, as a proxy would. */
async function measured(
  stand: Stand,
  instances: readonly Served[],
  request: Buffer,
): Promise<Turn> {
  const spent = async () => [
    instances.reduce((sum, { pid }) => sum + processorSeconds(pid), 0),
    await stand.databaseSeconds(),
    processorSeconds(process.pid),
  ];
  const before = await spent();
  const began = performance.now();
  const loads = await Promise.all(
    instances.map(({ port }) =>
      hammer(port, request, {
        connections: CONNECTIONS / instances.length,
        milliseconds: stand.turnMilliseconds,
      }),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const [api = 0, database = 0, load = 0] = (await spent()).map(
    (now, part) => (now - (before[part] ?? 0)) / seconds,
  );
  const requests = loads.reduce((sum, one) => sum + one.requests, 0);
  return { perSecond: requests / seconds, api, database, load };
}
