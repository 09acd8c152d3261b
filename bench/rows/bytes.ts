import pg from 'pg';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { at } from '../data.ts';
import { type Life, liveDay, openRecorder, openStill, STATES } from '../life.ts';
import type { Finding, Stand } from '../stand.ts';

const DATABASE = 'tianguis_bench_bytes';
const ORDERS_A_DAY = 12;
/**
 * Until every retention that an order's rows have but the longest has removed as much as came in.
 */
const WARM_UP_DAYS = 130;
const MEASURED_DAYS = 90;
const MOST_BYTES = 10_000;
const LIFE: Life = {
  start: Temporal.Instant.from('2026-01-01T12:00:00Z'),
  ordersADay: ORDERS_A_DAY,
  firstNumber: 0,
};

type Sizes = ReadonlyMap<string, number>;

/**
 * P15: what an order of five states leaves behind. Each change comes alone, as a webhook brings it;
 * every day the housekeeping runs, and the server cleans up as it does by itself. What the files
 * grow by once as much is removed as is added, divided by the orders of that time.
 */
export async function bytes(stand: Stand): Promise<Finding[]> {
  await using own = stand.closing.use(new AsyncDisposableStack());
  const url = await emptyDatabase(stand);
  let now = LIFE.start;
  const instance = await openStill(
    { DATABASE_URL: url, MASTER_KEY: stand.set.masterKey },
    () => now,
  );
  own.defer(instance.close);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  own.defer(() => client.end());
  const { record } = await openRecorder(instance, instance.exchange.clock, 'La que guarda');

  let letters = 0;
  let before: Sizes = new Map();
  for (let day = 0; day < WARM_UP_DAYS + MEASURED_DAYS; day++) {
    if (day === WARM_UP_DAYS) before = await sizesOf(client);
    const written = await liveDay(LIFE, day, record, (passed) => {
      now = LIFE.start.add({ hours: 24 * day, minutes: passed });
    });
    if (day >= WARM_UP_DAYS) letters += written;
    await runHousekeeping(instance.exchange);
    // The server's own cleaner goes by its own clock.
    await client.query('vacuum (analyze)');
  }
  return [finding(before, await sizesOf(client), letters)];
}

async function emptyDatabase({ set }: Stand): Promise<string> {
  const url = new URL(set.url);
  url.pathname = '/postgres';
  await at(url.href, async (client) => {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`create database ${DATABASE}`);
  });
  url.pathname = `/${DATABASE}`;
  return url.href;
}

/** Of each table, with its indexes. */
async function sizesOf(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function finding(before: Sizes, after: Sizes, letters: number): Finding {
  const orders = ORDERS_A_DAY * MEASURED_DAYS;
  const grown = [...after]
    .map(([name, bytes]) => ({
      name,
      bytes: Math.round((bytes - (before.get(name) ?? 0)) / orders),
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes);
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    row: 'P15',
    what: `bytes that an order of ${STATES.length} states leaves, of ${Math.round(letters / orders)} received`,
    figure: `${total} (${grown.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')})`,
    ratios: [total / 1000],
    bar: `≤ ${MOST_BYTES / 1000} kB`,
    passes: total <= MOST_BYTES,
    limit:
      'Tables with their indexes, grown over days in which the retentions remove as much as is added.',
  };
}
