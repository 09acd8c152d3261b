import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createKey } from '../../src/features/keys/index.ts';
import { recordOrders } from '../../src/features/orders/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { environmentOf } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { type Caller, openCaller } from './support/api.ts';
import type { Env } from './support/ground.ts';
import { openHandle } from './support/ground.ts';
import { reportedOrder } from './support/orders.ts';
import {
  type Ending,
  eventually,
  lastFirst,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { addTenant, NO_LIMIT } from './support/tenants.ts';

// Exports that are asked for by the API, of which the process that makes them is killed. The fast
// tests of this promise are in tests/kept-exports.test.ts.

const EXPORTS = '/manage/v1/exports';
const ORDERS = sized({ small: 30_000, quick: 100_000, long: 100_000 });
/** A killed process is found out after fifteen seconds, and its job waits longer each time. */
const KILLS = sized({ small: 2, quick: 3, long: 5 });
const MADE_WITHIN_MS = within(120_000);

interface Asked {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly bytes: number;
  readonly as_of: string | null;
  readonly file: { readonly url: string } | null;
}

test('an export of the API whose process is killed again and again has the bytes of one that is not', {
  timeout: 900_000,
}, async (t) => {
  const stage = await openStage(t);
  for (const format of ['ndjson', 'xlsx']) {
    const whole = await stage.made(await stage.ask(format));
    const { id } = await stage.ask(format);

    const states = new Set<string>();
    let rows = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const isFurther = async () => (await stage.look(id)).rows > (format === 'xlsx' ? 0 : rows);
      assert.ok(await eventually(isFurther, MADE_WITHIN_MS), stage.said());
      await stage.kill();
      const seen = await stage.look(id);
      states.add(seen.state);
      rows = seen.rows;
      await stage.changeOrders(kill);
    }
    const made = await stage.made(await stage.look(id));

    assert.deepEqual([...states], ['running'], 'it was over before it could be killed');
    assert.deepEqual({ ...made, id: '' }, { ...whole, id: '' });
    assert.equal(made.rows, ORDERS);
    reportFigure(
      t,
      `${ORDERS} orders as ${format}, asked by the API, over ${KILLS} kills: the same bytes`,
    );
    await stage.reset();
  }
});

/** One process that does everything, started anew after each kill, and a shop with its orders. */
async function openStage(t: Ending) {
  const end = lastFirst(t);
  const env: Env = environmentOf(await freshDatabase());
  const database = openHandle(end, env.DATABASE_URL as string);
  const { id: organizationId } = await addTenant(database, { quota: NO_LIMIT });
  const organization = database.within(organizationId);
  const { key } = await organization.write((scope) =>
    createKey(scope, 'operator', { name: 'exporta', scopes: ['exports:write', 'orders:read'] }),
  );
  await fill(database, organizationId);
  let running: RunningInstance;
  let caller: Caller;
  const start = async () => {
    running = await startInstance(end, { ...env, DRAIN_SECONDS: '0' });
    caller = openCaller(running.url, key);
  };
  end.after(() => caller.close());
  await start();

  const data = <T>(text: string): T => JSON.parse(text).data;
  const look = async (id: string) => data<Asked>((await caller.get(`${EXPORTS}/${id}`)).text);
  return {
    look,
    said: () => running.lines.join('\n'),
    async ask(format: string) {
      const answer = await caller.post(EXPORTS, JSON.stringify({ what: 'orders', format }));
      assert.equal(answer.status, 202, answer.text);
      return data<Asked>(answer.text);
    },
    async made({ id }: Asked) {
      const isOver = async () => ['done', 'failed'].includes((await look(id)).state);
      assert.ok(await eventually(isOver, MADE_WITHIN_MS, 100), running.lines.join('\n'));
      const { state, rows, bytes, as_of, file } = await look(id);
      const { pathname } = new URL(file?.url ?? running.url);
      const { text } = await caller.get(pathname);
      const digest = createHash('sha256').update(text).digest('hex');
      return { id, state, rows, bytes, as_of, digest };
    },
    async kill() {
      await running.end('SIGKILL');
      caller.close();
      await start();
    },
    /** Some orders of each part of the file. */
    changeOrders: (time: number) => record(database, organizationId, time + 2),
    reset: () => record(database, organizationId, KILLS + 2),
  };
}

const CHANGED = [0, 1, 2, 3, 4].map((part) => Math.floor((part * ORDERS) / 5));

/** One order is recorded, and copied by the database. */
async function fill(database: Database, organizationId: string): Promise<void> {
  await database.within(organizationId).write(async (scope) => {
    await recordOrders(scope, [reportedOrder({ id: idOf(0), status: 'paid', version: 1 })], []);
  });
  await database.write((handle) =>
    handle.sql(
      `insert into orders
       select (jsonb_populate_record(one, jsonb_build_object('id', 'X' || lpad(number::text, 7, '0')))).*
         from orders one, generate_series(1, $2::int) number where one.organization_id = $1`,
      [organizationId, ORDERS - 1],
    ),
  );
}

async function record(database: Database, organizationId: string, version: number) {
  await database.within(organizationId).write(async (scope) => {
    const orders = CHANGED.map((at) => reportedOrder({ id: idOf(at), status: 'shipped', version }));
    await recordOrders(scope, orders, []);
  });
}

function idOf(at: number): string {
  return `X${String(at).padStart(7, '0')}`;
}
