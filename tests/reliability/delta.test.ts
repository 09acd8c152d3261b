import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { recordOrders } from '../../src/features/orders/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { formatMicros, fromEpochMicros } from '../../src/platform/time.ts';
import { environmentOf } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { openCaller } from './support/api.ts';
import {
  largestVersions,
  latenessOf,
  sharedStamps,
  stampsOutOfOrder,
} from './support/delta-checks.ts';
import { type Dice, diceOf } from './support/dice.ts';
import { type Follower, follow, type ListedOrder, readAll } from './support/follower.ts';
import { openClient, openHandle } from './support/ground.ts';
import { reportedOrder, versionOf } from './support/orders.ts';
import {
  eventually,
  lastFirst,
  type Running,
  startInstance,
  startProgram,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { addTenant, NO_LIMIT, type Tenant } from './support/tenants.ts';
import type { Acknowledged, WriterTask } from './support/writer.ts';

const CHANGES = sized({ small: 1_500, quick: 10_000, long: 100_000 });
const WRITERS = 8;
/** A process has as many writers as it takes. */
const PROCESSES = sized({ small: 2, quick: 8, long: 8 });
const KILLS = sized({ small: 2, quick: 6, long: 20 });
const SEEN_WITHIN_MS = within(2_000);
const WORST_CLOCK_MS = 400;
const DAWDLE_MS = 30;

test(`${WRITERS} writers, some late to commit, rolled back or killed: a reader of the changes misses none`, {
  timeout: sized({ small: 300_000, quick: 300_000, long: 30 * 60_000 }),
}, async (t) => {
  const stage = await setStage(t, 3);
  const followed = stage.tenants.map((tenant) => ({
    tenant,
    followers: (['largest', 'as_of'] as const).map((way) => follow(stage.url, tenant.key, way)),
  }));

  const transactions = await write(stage);
  const isAllSeen = () =>
    followed.every(({ tenant, followers }) => followers.every(hasSeen(tenant, transactions)));
  await eventually(isAllSeen, 2 * SEEN_WITHIN_MS, 50);
  const followers = followed.flatMap((one) => one.followers);
  for (const follower of followers) await follower.stop();

  const found: (readonly number[])[] = [];
  for (const { tenant, followers } of followed) {
    const own = transactions.filter(({ organizationId }) => organizationId === tenant.id);
    const list = await readAll(stage.url, tenant.key);
    assertStamps(own);
    assertNewestVersionsShown(own, list);
    for (const follower of followers) found.push(assertNothingMissed(own, follower, list));
  }
  const delays = found.flat().sort((a, b) => a - b);
  const latest = Math.round(delays.at(-1) ?? 0);
  assert.ok(latest <= SEEN_WITHIN_MS, `a change was seen only after ${latest} ms`);
  const rows = await assertHistory(stage);

  const changes = countChanges(transactions);
  const pages = followers.reduce((sum, follower) => sum + follower.pages(), 0);
  const median = Math.round(delays[delays.length >> 1] ?? 0);
  reportFigure(
    t,
    `R8 delta: ${changes} changes by ${WRITERS} writers with ${KILLS} kills: 0 missed by largest and by as_of in ${pages} pages; ` +
      `seen after ${median} ms (median), ${latest} ms (worst); ${rows} history rows, 0 with a wrong previous status`,
  );
});

test('a cursor of another organisation opens nothing', async (t) => {
  const { url, database, tenants } = await setStage(t, 2);
  const [own, other] = tenants as [Tenant, Tenant];
  const orders = ['1', '2'].map((id) => reportedOrder({ id, status: 'paid', version: 1 }));
  await database.within(own.id).write((scope) => recordOrders(scope, orders));
  const [mine, theirs] = [openCaller(url, own.key), openCaller(url, other.key)];

  const { pagination } = JSON.parse((await mine.get('/v1/orders?limit=1')).text);
  const refused = await theirs.get(`/v1/orders?cursor=${pagination.next_cursor}`);
  mine.close();
  theirs.close();

  assert.equal(refused.status, 400, refused.text);
  assert.equal(JSON.parse(refused.text).error.code, 'invalid_cursor');
});

interface Stage {
  readonly end: ReturnType<typeof lastFirst>;
  readonly url: string;
  readonly databaseUrl: string;
  readonly database: Database;
  readonly tenants: readonly Tenant[];
}

/** An instance in a process of its own, and organisations that may ask as often as they like. */
async function setStage(t: TestContext, organizations: number): Promise<Stage> {
  const end = lastFirst(t);
  const env = environmentOf(await freshDatabase());
  const databaseUrl = env.DATABASE_URL as string;
  const { url } = await startInstance(end, env);
  const database = openHandle(end, databaseUrl);
  const tenants: Tenant[] = [];
  for (let number = 0; number < organizations; number++)
    tenants.push(await addTenant(database, { quota: NO_LIMIT }));
  return { end, url, databaseUrl, database, tenants };
}

/**
 * Has orders written until enough changes are acknowledged; kills a writer now and then and sends
 * another.
 */
async function write({ end, databaseUrl, tenants }: Stage): Promise<Acknowledged[]> {
  const transactions: Acknowledged[] = [];
  const chance: Dice = diceOf(1);
  const writers = new Set<Running>();
  const killed = new Set<Running>();
  let acknowledged = 0;
  let seed = 0;

  const send = () => {
    const task: WriterTask = {
      databaseUrl,
      seed: ++seed,
      connections: WRITERS / PROCESSES,
      organizations: tenants.map(({ id }) => id),
      clockOffsetMilliseconds: chance.below(2 * WORST_CLOCK_MS) - WORST_CLOCK_MS,
      dawdle: DAWDLE_MS,
    };
    const hear = (line: string) => {
      if (!line.startsWith('{')) return false;
      const transaction = JSON.parse(line) as Acknowledged;
      transactions.push(transaction);
      acknowledged += transaction.changes.length;
      return true;
    };
    writers.add(
      startProgram(
        end,
        'tests/reliability/support/writer.ts',
        [JSON.stringify(task)],
        { TEST_SERVER: 'null' },
        hear,
      ),
    );
  };
  const fallen = () => [...writers].find((writer) => writer.hasEnded() && !killed.has(writer));

  for (let process = 0; process < PROCESSES; process++) send();
  for (let kill = 1; kill <= KILLS + 1; kill++) {
    const enough = (CHANGES * kill) / (KILLS + 1);
    await eventually(() => acknowledged >= enough || fallen() !== undefined, 30 * 60_000);
    assert.equal(fallen()?.lines.join('\n'), undefined, 'a writer fell');
    if (kill > KILLS) break;
    const victim = chance.pick([...writers].filter((writer) => !killed.has(writer)));
    killed.add(victim);
    await victim.end('SIGKILL');
    send();
  }
  for (const writer of writers) writer.child.stdin?.end();
  for (const writer of writers)
    assert.ok((await writer.ended) === 0 || killed.has(writer), writer.lines.join('\n'));
  return transactions;
}

/** Whether the last change of each of the organisation's orders has been seen. */
function hasSeen(tenant: Tenant, transactions: readonly Acknowledged[]) {
  const own = transactions.filter(({ organizationId }) => organizationId === tenant.id);
  const last = new Map<string, number>();
  for (const { changes } of own)
    for (const { id, lastUpdated } of changes)
      last.set(id, Math.max(lastUpdated, last.get(id) ?? 0));
  const wanted = [...last].map(
    ([id, micros]) => [id, formatMicros(fromEpochMicros(micros))] as const,
  );
  return (follower: Follower) =>
    wanted.every(([id, lastUpdated]) => (follower.copy.get(id)?.last_updated ?? '') >= lastUpdated);
}

function assertStamps(own: readonly Acknowledged[]): void {
  assert.equal(sharedStamps(own), 0, 'each change has a last_updated of its own');
  assert.equal(stampsOutOfOrder(own), 0, 'last_updated follows the order of commits');
}

function assertNewestVersionsShown(
  own: readonly Acknowledged[],
  list: Map<string, ListedOrder>,
): void {
  for (const [id, version] of largestVersions(own)) {
    const shown = versionOf(list.get(id) ?? { items: [] });
    assert.ok(shown >= version, `order ${id} shows version ${shown}, but ${version} was recorded`);
  }
}

/** @returns the milliseconds from commit to sight. */
function assertNothingMissed(
  own: readonly Acknowledged[],
  follower: Follower,
  list: Map<string, ListedOrder>,
): readonly number[] {
  const { missed, delays } = latenessOf(own, follower);
  assert.equal(missed, 0, `changes missed by ${follower.following}`);
  assert.deepEqual(sorted(follower.copy), sorted(list), `the copy kept by ${follower.following}`);
  return delays;
}

/** @returns how many rows the history has. */
async function assertHistory({ end, databaseUrl }: Stage): Promise<number> {
  const client = await openClient(end, databaseUrl);
  const { rows } = await client.query(`
    with steps as (
      select *, lag(status) over walk as status_before, lag(at) over walk as at_before,
             lead(status) over walk is null as is_last
        from order_history
      window walk as (partition by organization_id, marketplace, account_id, order_id order by recorded_at))
    select count(*)::int as rows,
           count(*) filter (where s.previous_status is distinct from s.status_before)::int as wrong_previous,
           count(*) filter (where s.at < s.at_before)::int as older_after_newer,
           count(*) filter (where s.is_last and s.status <> o.status)::int as last_not_shown
      from steps s
      join orders o on o.organization_id = s.organization_id and o.marketplace = s.marketplace
                   and o.account_id = s.account_id and o.id = s.order_id`);
  const [{ rows: count, ...faults }] = rows as [{ rows: number }];
  assert.deepEqual(faults, { wrong_previous: 0, older_after_newer: 0, last_not_shown: 0 });
  return count;
}

function sorted(orders: ReadonlyMap<string, ListedOrder>): ListedOrder[] {
  return [...orders.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function countChanges(transactions: readonly Acknowledged[]): number {
  return transactions.reduce((sum, { changes }) => sum + changes.length, 0);
}
