import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { UpstreamError } from '../src/connectors/upstream-error.ts';
import { pauseAccount, resumeAccount } from '../src/exchange/connect/pause.ts';
import { syncSoon } from '../src/exchange/connect/sync-soon.ts';
import { recordTrouble } from '../src/exchange/wire/job-outcome.ts';
import { connectionById, listFreshness } from '../src/features/connections/index.ts';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import {
  alertsOf,
  callsTo,
  connectAccount,
  jobsDone,
  notify,
  openMarket,
  outcomesOf,
  query,
  sell,
  workOff,
} from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// An account whose synchronisation a person paused, and resumes.

const ORDERS = /\/orders/;
const REFUSED = new UpstreamError('refused', 'mercado_libre', 'no');
const JOB = { alert: 'connection', stream: 'orders' } as const;

test('of a paused account nothing is read, and what it announced meanwhile is there once it is resumed', {
  tags: ['slow'],
}, async (t) => {
  const { own, seller, market, id, pause, resume, stateOf } = await openSeller(t);
  await pause();
  assert.equal(await stateOf(), 'paused');
  const asked = callsTo(market, ORDERS).length;
  const listed = sell(seller);
  const announced = sell(seller);

  assert.equal(await notify(own, seller, `/orders/${announced}`), 200);
  await jobsDone(own);
  own.clock.advance({ hours: 3 });
  await workOff(own);

  assert.equal(callsTo(market, ORDERS).length, asked, 'nothing was read');
  assert.deepEqual(await outcomesOf(own, own.organization.id), { deferred: 1 });
  assert.deepEqual(await alertsOf(own, own.organization.id), []);
  await assert.rejects(
    own.app.database.within(own.organization.id).write((scope) => syncSoon(scope, id)),
    { code: 'connection_paused' },
  );

  await resume();
  await workOff(own);
  const stored = await query(own, 'select id from orders where organization_id = $1', [
    own.organization.id,
  ]);
  const ids = stored.map((row) => row.id);
  assert.deepEqual(
    [listed, announced].filter((order) => !ids.includes(order)),
    [],
    'orders of the meantime are missing',
  );
  assert.equal(await stateOf(), 'ok');
});

test('a pause ends the alerts of an account, and none is raised until it is resumed', {
  tags: ['slow'],
}, async (t) => {
  const { own, id, pause, resume, stateOf } = await openSeller(t);
  const organization = own.app.database.within(own.organization.id);
  const fail = async () => {
    const connection = await organization.read((scope) => connectionById(scope, id));
    assert.ok(connection);
    await recordTrouble(own.app.exchange, connection, JOB, REFUSED);
  };
  await fail();
  assert.deepEqual(
    (await alertsOf(own, own.organization.id)).map(({ kind }) => kind),
    ['connection'],
  );

  await pause();
  assert.deepEqual(await alertsOf(own, own.organization.id), []);
  await fail();
  assert.deepEqual(await alertsOf(own, own.organization.id), [], 'a job that was under way');
  await resume();
  assert.equal(await stateOf(), 'error', 'the state of the access is as before');
  await fail();
  assert.equal((await alertsOf(own, own.organization.id)).length, 1);
});

test('a pause and its end are events and acts, once each', async (t) => {
  const { own, pause, resume } = await openSeller(t);
  assert.deepEqual([await pause(), await pause()], [true, false]);
  own.clock.advance({ minutes: 1 });
  assert.deepEqual([await resume(), await resume()], [true, false]);

  const acts = await query(
    own,
    "select act, done_by from acts where organization_id = $1 and act like 'connection_%d' order by seq",
    [own.organization.id],
  );
  assert.deepEqual(acts, [
    { act: 'connection_paused', done_by: 'operator' },
    { act: 'connection_resumed', done_by: 'operator' },
  ]);
  const events = await query(
    own,
    "select data::json->>'status' as status from events where organization_id = $1 and type = 'connection.status_changed' order by created_at, id",
    [own.organization.id],
  );
  assert.deepEqual(
    events.map(({ status }) => status),
    ['paused', 'ok'],
  );
});

test('an account that is not connected is not paused', async (t) => {
  const { own } = await openSeller(t);
  const nobody = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';
  await assert.rejects(pauseAccount(own.app.exchange, own.organization.id, nobody), {
    code: 'not_found',
  });
});

async function openSeller(t: TestContext) {
  const clock = turnedClock();
  const market = await openMarket(t, clock, { tokenSeconds: 10_000 * 3_600 });
  const own = await openApp(t, { clock, env: market.env, database: await freshDatabase() });
  const seller = market.newSeller();
  sell(seller);
  const { id: organizationId } = own.organization;
  const id = await connectAccount(own, organizationId, market.credentials(seller.id));
  await workOff(own);
  const stateOf = async () =>
    (await own.app.database.within(organizationId).read((scope) => listFreshness(scope, null)))[0]
      ?.state;
  return {
    ...{ own, market, seller, id, stateOf },
    pause: () => pauseAccount(own.app.exchange, organizationId, id),
    resume: () => resumeAccount(own.app.exchange, organizationId, id),
  };
}
