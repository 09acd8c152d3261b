import assert from 'node:assert/strict';
import { type RawQuery, readQuery } from '../../src/entrances/query.ts';
import { ORDER_QUERY } from '../../src/entrances/rest/v1.ts';
import { configOf } from '../../src/environment.ts';
import { compose, type Position } from '../../src/features/orders/store-page.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type CursorMaker, cursorMaker } from '../../src/platform/cursor.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { at, type Tenant } from '../data.ts';
import { get, type Line, openLine } from '../load.ts';
import { RARE } from '../orders.ts';
import { type Plan, plansOf } from '../plans.ts';
import { type Finding, median, type Stand } from '../stand.ts';

const LIMIT = 50;
const MOST_TIMES = 1.3;
const REQUESTS = 30;

type Query = Readonly<Record<string, string>>;

/**
 * P2: a page costs the same in a large organisation as in a small one, and at any depth, whatever
 * is asked.
 */
export async function growth(stand: Stand): Promise<Finding[]> {
  const { set } = stand;
  const database = openDatabase({
    address: { url: set.url },
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  const line = openLine(stand.instance.port);
  try {
    const findings: Finding[] = [];
    for (const query of await queries(set.url, set.big)) {
      findings.push(await besideSmall(stand, line, database, query));
    }
    const { keyring } = configOf({ MASTER_KEY: set.masterKey }).secrets;
    assert.ok(keyring);
    const cursors = cursorMaker(keyring);
    for (const query of await deepQueries(set.url, set.big))
      findings.push(await besideFirstPage(stand, line, database, cursors, query));
    return findings;
  } finally {
    line.close();
    await database.close();
  }
}

/** Every filter, with half of the orders on either side of its bounds, and the pairs of them. */
async function queries(url: string, { organizationId }: Tenant): Promise<Query[]> {
  const quarters = await at(url, async (client) => {
    const { rows } = await client.query(
      `select to_char(least + (most - least) * part, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as moment
         from (select min(date_created) at time zone 'UTC' as least, max(date_created) at time zone 'UTC' as most
                 from orders where organization_id = $1) as span, unnest(array[0.25, 0.5, 0.75]) as part`,
      [organizationId],
    );
    return rows.map((row) => row.moment as string);
  });
  const [from = '', middle = '', to = ''] = quarters;
  const between = { from, to };
  const status = { status: 'delivered' };
  const rare = { status: RARE };
  const statuses = { status: 'paid,shipped' };
  const marketplace = { marketplace: 'mercado_libre' };
  const marketplaces = { marketplace: 'amazon,shopify' };
  const ended = { status: 'cancelled,delivered' };
  const changed = { updated_since: middle };
  return [
    {},
    between,
    status,
    rare,
    statuses,
    marketplace,
    changed,
    { ...between, ...status },
    { ...between, ...rare },
    { ...between, ...marketplace },
    { ...status, ...marketplace },
    { ...rare, ...marketplace },
    { ...ended, ...marketplaces },
    { ...status, ...changed },
    { ...rare, ...changed },
    { ...statuses, ...changed },
    { ...marketplace, ...changed },
    { ...rare, ...marketplaces, ...changed },
  ];
}

async function deepQueries(url: string, tenant: Tenant): Promise<Query[]> {
  const isDeep = (query: Query) =>
    ['', 'status', 'marketplace', 'updated_since'].includes(Object.keys(query).join());
  return (await queries(url, tenant)).filter(
    (query) => isDeep(query) && query.status !== RARE && !query.status?.includes(','),
  );
}

async function besideSmall(
  stand: Stand,
  line: Line,
  database: Database,
  query: Query,
): Promise<Finding> {
  const { big, small } = stand.set;
  const path = pathOf(query);
  const { ratios, ones, others } = await compareLatency(
    stand,
    line,
    get(path, big.key),
    get(path, small.key),
  );
  const plans = await plansOfPage(database, big, query, null);
  return {
    row: 'P2',
    what: `${nameOf(query)}: ${big.orders} orders against ${small.orders}`,
    figure: `${median(ones).toFixed(2)} ms beside ${median(others).toFixed(2)} ms`,
    ratios,
    bar: `≤ ${MOST_TIMES}`,
    passes: median(ratios) <= MOST_TIMES && plans.every((plan) => isGood(plan, query)),
    limit: describe(plans),
  };
}

async function besideFirstPage(
  stand: Stand,
  line: Line,
  database: Database,
  cursors: CursorMaker,
  query: Query,
): Promise<Finding> {
  const { big } = stand.set;
  const { body } = await line.ask(get(pathOf(query), big.key));
  const first = cursors.open(JSON.parse(body).pagination.next_cursor) as unknown[];
  const { position, page } = await middleOf(stand.set.url, big, query);
  const packed =
    position.order === 'updated'
      ? [Number(position.after.epochNanoseconds / 1000n)]
      : [position.newestFirst, position.marketplace, position.accountId, position.id];
  const cursor = cursors.make([...first.slice(0, -1), packed]);
  const deep = get(`${pathOf(query)}&cursor=${cursor}`, big.key);
  const { ratios, ones, others } = await compareLatency(
    stand,
    line,
    deep,
    get(pathOf(query), big.key),
  );
  const plans = await plansOfPage(database, big, query, position);
  return {
    row: 'P2',
    what: `${nameOf(query)}: page ${page} against page 1`,
    figure: `${median(ones).toFixed(2)} ms beside ${median(others).toFixed(2)} ms`,
    ratios,
    bar: `≤ ${MOST_TIMES}`,
    passes: median(ratios) <= MOST_TIMES && plans.every((plan) => isGood(plan, query)),
    limit: describe(plans),
  };
}

/** The order in the middle of a walk, which no client could reach cheaply. */
async function middleOf(
  url: string,
  { organizationId }: Tenant,
  query: Query,
): Promise<{ position: Position; page: number }> {
  const filters = readQuery(ORDER_QUERY, query);
  const [column, value] = filters.status[0]
    ? ['status', filters.status[0]]
    : filters.marketplace[0]
      ? ['marketplace', filters.marketplace[0]]
      : ['id', null];
  const order = filters.updatedSince ? 'last_updated' : 'newest_first, marketplace, account_id, id';
  return at(url, async (client) => {
    const where = `where organization_id = $1 and ($2::text is null or ${column} = $2) and last_updated >= $3`;
    const values = [organizationId, value, filters.updatedSince?.toString() ?? '-infinity'];
    const {
      rows: [{ half }],
    } = await client.query(`select count(*)::int / 2 as half from orders ${where}`, values);
    const page = Math.floor(half / LIMIT);
    const {
      rows: [row],
    } = await client.query(
      `select newest_first, marketplace, account_id, id, to_char(last_updated at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as changed
         from orders ${where} order by ${order} offset ${page * LIMIT - 1} limit 1`,
      values,
    );
    const position: Position = filters.updatedSince
      ? { order: 'updated', after: Temporal.Instant.from(row.changed) }
      : {
          order: 'created',
          newestFirst: Number(row.newest_first),
          marketplace: row.marketplace,
          accountId: row.account_id,
          id: row.id,
        };
    return { position, page: page + 1 };
  });
}

/** One request of each in turn, and the medians of every round held against each other. */
async function compareLatency(stand: Stand, line: Line, one: Buffer, other: Buffer) {
  const ones: number[] = [];
  const others: number[] = [];
  for (let round = 0; round <= stand.rounds; round++) {
    const took: [number[], number[]] = [[], []];
    for (let request = 0; request < REQUESTS; request++) {
      took[0].push(await time(line, one));
      took[1].push(await time(line, other));
    }
    if (round === 0) continue;
    ones.push(median(took[0]));
    others.push(median(took[1]));
  }
  return { ones, others, ratios: ones.map((value, index) => value / (others[index] as number)) };
}

async function time(line: Line, request: Buffer): Promise<number> {
  const began = performance.now();
  const { status, body } = await line.ask(request);
  if (status !== 200) throw new Error(`the answer was ${status}: ${body}`);
  return performance.now() - began;
}

function plansOfPage(
  database: Database,
  { organizationId }: Tenant,
  query: Query,
  position: Position | null,
): Promise<Plan[]> {
  const { limit: _, cursor: __, ...filters } = readQuery(ORDER_QUERY, query as RawQuery);
  const { text, values } = compose({
    filters,
    asOf: Temporal.Now.instant().toString(),
    position,
    limit: LIMIT + 1,
  });
  return plansOf(database, text, [organizationId, ...values], mostRead(query));
}

/**
 * One more than the page for each walk that is merged, and a few that share the key's first part.
 */
function mostRead(query: Query): number {
  const walks = Object.values(query).reduce(
    (product, value) => product * value.split(',').length,
    1,
  );
  return walks * (LIMIT + 1) + 10;
}

function isGood(plan: Plan, query: Query): boolean {
  return (
    plan.faults.length === 0 && plan.read <= mostRead(query) && plan.buffers <= 8 * mostRead(query)
  );
}

function describe(plans: readonly Plan[]): string {
  const [custom, generic] = plans.map(
    ({ read, returned, buffers, faults }) =>
      `reads ${read} rows for ${returned} in ${buffers} buffers${faults.map((fault) => `, ${fault}`).join('')}`,
  );
  return custom === generic
    ? `The plan ${custom}.`
    : `The plan ${custom}; the one for all values ${generic}.`;
}

function pathOf(query: Query): string {
  return `/v1/orders?${new URLSearchParams({ limit: String(LIMIT), ...query })}`;
}

function nameOf(query: Query): string {
  const names = Object.entries(query).map(([name, value]) =>
    /^\d{4}-/.test(value) ? name : `${name}=${value}`,
  );
  return names.join(' & ') || 'no filter';
}
