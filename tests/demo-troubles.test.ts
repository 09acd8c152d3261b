import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startZipnova } from '../simulators/zipnova/index.ts';
import { prepareTroubles } from '../src/demo/attention.ts';
import { lastRuns, listConnections } from '../src/features/connections/index.ts';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { alertsOf } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// What the demo shows of a seller's day, also on a machine on which a service answers late.

test('the store of the demo that is not read any more has a history of sync runs', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const store = {
    service: 'tiendanube',
    url: own.url,
    credentials: { store_id: 1 },
    role: null,
  } as const;

  await prepareTroubles(own.app, own.organization, store, () => {});

  const runs = await own.app.database.within(own.organization.id).read(async (scope) => {
    const [outlet] = await listConnections(scope);
    return lastRuns(scope, outlet?.id ?? '');
  });
  assert.deepEqual(
    runs.map(({ outcome }) => outcome),
    ['stopped', 'stopped', 'done'],
  );
  assert.match(runs[0]?.reason ?? '', /Tiendanube/);
});

test('a balance that the demo could not read at first raises its alert when it is read', async (t) => {
  const clock = turnedClock();
  const own = await openApp(t, { clock, database: await freshDatabase() });
  const zipnova = await startZipnova({ seed: 1, now: () => clock.now().epochMilliseconds });
  t.after(zipnova.close);
  const credentials = zipnova.credentials();
  await own.connect('zipnova', { url: zipnova.url, credentials });
  let unread = 0;
  zipnova.faults.next({ kind: 'server_error', match: /accounts\/\d+\b(?!\/)/, times: 1_000 });

  await prepareTroubles(own.app, own.organization, null, () => unread++);

  assert.equal(unread, 1);
  assert.deepEqual(await alertsOf(own, own.organization.id), []);
  zipnova.faults.stop();
  clock.advance({ hours: 2 });
  await own.sync();
  const alerts = await alertsOf(own, own.organization.id);
  assert.deepEqual(
    alerts.map(({ kind }) => kind),
    ['low_balance'],
  );
  assert.match(
    String(alerts[0]?.message),
    /de Zipnova \(Cuenta 11600\) es de .* menos de los \$5,000\.00 MXN/,
  );
});
