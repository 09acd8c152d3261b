import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/platform/clock.ts';
import { soon } from '../spec/support/soon.ts';
import { anAgent } from '../support/agents.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { logInto } from '../support/log.ts';
import { callTool } from '../support/mcp.ts';
import { follow, readAll } from './support/follower.ts';
import { reportedOrder, versionOf } from './support/orders.ts';
import { reportFigure } from './support/profile.ts';
import { noReplica, openStreamingPair, type StreamingPair } from './support/streaming.ts';
import { NO_LIMIT } from './support/tenants.ts';

// Lists read a streaming replica, which lags, hangs or is gone: no change is missed, and no request
// fails.

const LAG_MS = 700;
const ORDERS = 12;
const ROUNDS = 60;

test('a client that follows changes over a replica that lags misses none, by as_of or by the largest last_updated', {
  skip: noReplica,
  timeout: 300_000,
}, async (t) => {
  const { pair, at } = await setStage(t, `${LAG_MS}ms`);
  const followers = (['as_of', 'largest'] as const).map((way) => follow(at.url, at.key, way));
  let behind = 0;

  for (let round = 1; round <= ROUNDS; round++) {
    await at.record([order(round % ORDERS, round)]);
    const page = await at.api('/v1/orders', { limit: 100 });
    const shown = page.body.data.map(versionOf);
    if (!shown.includes(round)) behind++;
    await sleep(20);
  }
  await soon(async () => {
    for (const { copy } of followers)
      for (const id of newest().keys())
        assert.equal(copy.get(id)?.items[0]?.sku, String(newest().get(id)), `missed: ${id}`);
  }, 10_000);
  for (const follower of followers) await follower.stop();

  assert.ok(behind > 0, `the list was behind ${behind} times of ${ROUNDS}`);
  await soon(async () => assert.equal((await readAll(at.url, at.key)).size, ORDERS), 10_000);
  const [row] = await pair.atReplica(
    "select count(*)::int as count from pg_stat_activity where application_name = 'tianguis' and query like '%order%'",
  );
  assert.ok(Number(row?.count) > 0, 'the replica was read');
  reportFigure(
    t,
    `R8 replica: ${ROUNDS} changes on a replica ${LAG_MS} ms behind, whose list lacked the newest ${behind} times: 0 missed by as_of and by largest`,
  );
});

test('a walk that began on the primary is not continued on a replica that is behind it', {
  skip: noReplica,
  timeout: 300_000,
}, async (t) => {
  const { pair, at } = await setStage(t, '0');
  await at.record([order(0, 1)]);
  const began = await caughtUp(at, 1);
  await pair.atReplica('select pg_wal_replay_pause()');
  await at.record([order(1, 11)]);
  const since = await stampOf(at);
  for (const number of [2, 3, 4, 5]) await at.record([order(number, 10 + number)]);

  // The caller has seen more than the replica has.
  const seen: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await at.api('/v1/orders', {
      ...{ updated_since: since, limit: 2 },
      ...(cursor !== '' && { cursor }),
    });
    seen.push(...page.body.data.map(versionOf));
    cursor = page.body.pagination.next_cursor;
  }
  assert.deepEqual(seen, [11, 12, 13, 14, 15], 'all that the walk covers');

  const old = await at.api('/v1/orders', { updated_since: began });
  assert.deepEqual(old.body.data, [], 'what is not replayed yet is left to the next poll');
  assert.equal(old.body.meta.as_of, began);
  const listed = await callTool(at, await anAgent(at), 'list_orders', { updated_since: began });
  assert.equal(listed.body.result.structuredContent.as_of, began, listed.text);
  await pair.atReplica('select pg_wal_replay_resume()');
  await soon(async () => {
    const again = await at.api('/v1/orders', { updated_since: began });
    assert.equal(again.body.data.length, 5);
  }, 10_000);
});

test('with a replica that is gone or hangs, lists are answered by the primary', {
  skip: noReplica,
  timeout: 300_000,
}, async (t) => {
  const lines: string[] = [];
  const { pair, at } = await setStage(t, '0', lines);
  await at.record([order(0, 1)]);
  await caughtUp(at, 1);
  const list = async () => {
    const { status, text, body } = await at.api('/v1/orders');
    assert.equal(status, 200, text);
    return body.data.length;
  };

  await pair.stopReplica();
  const gone = await Promise.all(Array.from({ length: 20 }, list));
  assert.deepEqual([...new Set(gone)], [1]);
  assert.ok(
    lines.some((line) => line.includes('database replica away')),
    'the log says so',
  );

  await pair.startReplica();
  const readers = () =>
    pair.atReplica("select pid from pg_stat_activity where application_name = 'tianguis'");
  await soon(async () => {
    await list();
    assert.notDeepEqual(await readers(), [], 'it is read again');
  }, 20_000);
  for (const { pid } of await readers()) process.kill(Number(pid), 'SIGSTOP');
  try {
    assert.equal(await list(), 1);
  } finally {
    await pair.stopReplica();
  }
});

interface Stage {
  readonly pair: StreamingPair;
  readonly at: TestApp;
}

async function setStage(t: TestContext, lag: string, lines: string[] = []): Promise<Stage> {
  const pair = await openStreamingPair(t, lag);
  const at = await openApp(t, {
    database: 'elsewhere',
    plan: 'experto',
    clock: { ...systemClock, advance() {} },
    env: { DATABASE_URL: pair.primaryUrl, DATABASE_REPLICA_URL: pair.replicaUrl },
    log: logInto(lines),
  });
  await at.setPlan('experto', NO_LIMIT);
  // The schema, too, arrives late.
  await soon(async () => {
    const [row] = await pair.atReplica('select quota_override from organizations');
    assert.equal(row?.quota_override, NO_LIMIT);
  }, 20_000);
  return { pair, at };
}

function order(number: number, version: number) {
  return reportedOrder({ id: `orden-${number}`, status: 'paid', version });
}

/** The last version of each order. */
function newest(): Map<string, number> {
  return new Map(
    Array.from({ length: ROUNDS }, (_, index) => [`orden-${(index + 1) % ORDERS}`, index + 1]),
  );
}

async function stampOf({ app, organization }: TestApp): Promise<string> {
  const [row] = await app.database.write((handle) =>
    handle.sql(
      `select to_char(stamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as stamp
       from delta_clocks where organization_id = $1`,
      [organization.id],
    ),
  );
  return (row as { stamp: string }).stamp;
}

/** `as_of` of a list that shows so many orders on the replica. */
async function caughtUp(at: TestApp, count: number): Promise<string> {
  let asOf = '';
  await soon(async () => {
    const { body } = await at.api('/v1/orders');
    assert.equal(body.data.length, count);
    asOf = body.meta.as_of;
  }, 10_000);
  return asOf;
}
