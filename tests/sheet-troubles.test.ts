import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revokeKey } from '../src/features/keys/index.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, openApp } from './support/app.ts';
import { keyFor, LOAD, openSheet, recordMany, rowsOf, setPlan } from './support/google/sheet.ts';
import { freshDatabase } from './support/server.ts';

// What goes wrong with the template for Google Sheets: runs that Google cuts, runs that overlap,
// keys, plans and limits that end in the middle of a load.

const instance = await openApp(WHOLE_FILE);

test('a long load stops in time, and triggers finish it within the hour a day', {
  tags: ['slow'],
}, async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 1_500);

  const first = await google.run(LOAD, { typed: [shop.key], fetchMs: 40_000 });
  const begun = (await rowsOf(google, 'Órdenes')).length;
  const { triggers } = await google.look();
  const rest = await google.pass({ minutes: 5 });

  assert.deepEqual([first.error, first.stopped], [null, null]);
  assert.match(
    first.shown.at(-1) ?? '',
    /Van \d+ órdenes nuevas.*sigue automáticamente en un minuto/,
  );
  assert.ok(begun > 300 && begun < 1_500, `${begun} rows`);
  assert.deepEqual(
    triggers.map(({ handler }) => handler),
    ['continuarCarga'],
  );
  assert.deepEqual(
    rest.map(({ error, stopped }) => [error, stopped]),
    [[null, null]],
  );
  assert.equal(new Set((await rowsOf(google, 'Órdenes')).map(({ Orden }) => Orden)).size, 1_500);
  assert.deepEqual((await google.look()).triggers, []);
});

test('a run that Google cuts counts as the longest one', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 10);
  await google.run(LOAD, { typed: [shop.key] });
  const { calls } = await google.run('actualizarCadaHora', { kind: 'trigger' });

  const ran = [];
  for (let run = 0; run < 10; run++)
    ran.push(await google.run('actualizarCadaHora', { kind: 'trigger', cutAt: calls - 10 }));

  // Nine times six minutes, and the first run.
  assert.deepEqual(
    ran.map(({ stopped, fetched }) => stopped ?? fetched.length),
    [...Array(9).fill('cut'), 0],
  );
});

test('of two triggers that overlap one works: nothing is doubled', {
  tags: ['slow'],
}, async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 150);
  await google.run(LOAD, { typed: [shop.key] });
  await recordMany(shop, 150, 2);
  await shop.record(anOrder({ id: 'nueva' }));
  const { calls } = await google.run('actualizarCadaHora', { kind: 'trigger', cutAt: 9_999 });

  for (let at = 1; at <= calls; at += 3) {
    await shop.record(anOrder({ id: `nueva-${at}` }));
    const overlap = { at, name: 'actualizarCadaHora' };
    const ran = await google.run('actualizarCadaHora', { kind: 'trigger', overlap });
    assert.equal(ran.error, null);
    assert.equal(ran.overlapped?.error ?? null, null);
    // Before the lock is taken, and after it is given back, the other one may work.
    const isUnderWay = at > 4 && at < ran.calls - 4;
    if (isUnderWay) assert.match(ran.overlapped?.logged.join() ?? '', /Ya hay una carga en curso/);
  }
  await google.run(LOAD);

  const ids = (await rowsOf(google, 'Órdenes')).map(({ Orden }) => Orden);
  assert.equal(ids.length, new Set(ids).size);
  assert.equal(ids.length, 151 + Math.ceil(calls / 3));
});

test('a key that is revoked in the middle of a load gets a clear message; with a new one the load goes on', async (t) => {
  let pages = 0;
  const { shop, google } = await openSheet(t, instance, {
    beforeFetch: async (url, { keyId, get }) => {
      if (!url.includes('/v1/orders') || ++pages !== 3) return;
      await instance.app.database.write((handle) => revokeKey(handle, 'operator', keyId));
      await soon(async () => assert.equal((await get('/v1/me')).status, 401));
    },
  });
  await recordMany(shop, 450);

  const cut = await google.run(LOAD, { typed: [shop.key] });
  const begun = (await rowsOf(google, 'Órdenes')).length;
  const key = await keyFor(instance, shop);
  const changed = await google.run('cambiarClave', { typed: [key] });
  const rest = await google.run(LOAD);

  assert.match(cut.shown.at(-1) ?? '', /^Esta clave de API fue revocada\..*«Cambiar la clave»/);
  assert.equal(begun, 200);
  assert.match(changed.shown.at(-1) ?? '', /La clave quedó guardada/);
  assert.equal(rest.fetched.filter(([url]) => url.includes('/v1/orders')).length, 3);
  assert.equal(new Set((await rowsOf(google, 'Órdenes')).map(({ Orden }) => Orden)).size, 450);
});

test('a plan without the API gets a clear message; a trigger fails, so that Google mails it', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 5);
  await google.run(LOAD, { typed: [shop.key] });
  await setPlan(instance, shop, 'basico');

  await soon(async () =>
    assert.match(
      (await google.run(LOAD)).shown.at(-1) ?? '',
      /^Tu plan Básico no incluye la API\..*siguen en la hoja/,
    ),
  );
  const byTrigger = await google.run('actualizarCadaHora', { kind: 'trigger' });
  await setPlan(instance, shop, 'intermedio');
  await soon(async () => assert.match((await google.run(LOAD)).shown.at(-1) ?? '', /Todo al día/));

  assert.match(byTrigger.error ?? '', /^Tu plan Básico no incluye la API\./);
});

test('a cursor that the service takes no more costs one page, not the load', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 450);
  await google.run(LOAD, { typed: [shop.key], fetchMs: 100_000 });
  const { document } = await google.look();
  const state = JSON.parse(document.estado ?? '{}');
  assert.ok(state.cursor);

  for (const cursor of [`${state.cursor}x`, 'c'.repeat(3_000)]) {
    await google.edit({
      what: 'property',
      name: 'estado',
      value: JSON.stringify({ ...state, cursor }),
    });
    assert.match((await google.run(LOAD)).shown.at(-1) ?? '', /Todo al día/);
    assert.equal(new Set((await rowsOf(google, 'Órdenes')).map(({ Orden }) => Orden)).size, 450);
  }
});

test('a full spreadsheet and a spent day get a clear message, and the load goes on where it stopped', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 100);
  await google.run(LOAD, { typed: [shop.key] });
  const { maxRows, maxColumns } = await google.tab('Órdenes');
  await google.edit({
    what: 'rows',
    tab: 'Órdenes',
    count: Math.floor(10_000_000 / maxColumns) - 102,
  });
  await google.edit({ what: 'rows', tab: 'Artículos', count: 102 });
  await recordMany(shop, 200, 2);
  const full = await google.run(LOAD);
  await google.edit({ what: 'rows', tab: 'Órdenes', count: maxRows });
  await google.edit({ what: 'day', fetches: 20_000 });
  const spent = await google.run(LOAD);
  await google.edit({ what: 'day', fetches: 0 });
  await google.run(LOAD);

  assert.match(full.shown.at(-1) ?? '', /^Google no dejó terminar: .*10000000 cells/);
  assert.match(spent.shown.at(-1) ?? '', /Tianguis no contesta; se intenta otra vez más tarde/);
  assert.equal((await rowsOf(google, 'Órdenes')).length, 200);
});

/** Requests a minute where a test spends all of them. */
const QUOTA = 20;

test('a quota that is spent is waited for as long as Retry-After says', async (t) => {
  const asked: number[] = [];
  const { shop, google } = await openSheet(t, instance, {
    quota: QUOTA,
    beforeFetch: async (url, { get }) => {
      if (!url.includes('/v1/orders')) return;
      asked.push(instance.clock.monotonic());
      // The others of the organisation take all of each minute, but for the fourth.
      if (asked.length < 4) await Promise.all(Array.from({ length: QUOTA }, () => get('/v1/me')));
    },
  });
  await recordMany(shop, 1);

  const { error, fetched } = await google.run(LOAD, { typed: [shop.key] });

  const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  for (const wait of waits) assert.ok(wait >= 58_000, `asked ${wait} ms later, before its time`);
  assert.equal(error, null);
  assert.deepEqual(
    fetched.filter(([url]) => url.includes('/v1/orders')).map(([, status]) => status),
    [429, 429, 429, 200],
  );
});

test('a wait that was not enough is doubled, up to 30 s', async (t) => {
  const own = await openApp(t, {
    database: await freshDatabase(),
    env: { QUOTA_WINDOW_SECONDS: '2' },
  });
  const asked: number[] = [];
  const { shop, google } = await openSheet(t, own, {
    quota: QUOTA,
    beforeFetch: async (url, { get }) => {
      if (!url.includes('/v1/orders')) return;
      asked.push(own.clock.monotonic());
      if (asked.length < 8) await Promise.all(Array.from({ length: QUOTA }, () => get('/v1/me')));
    },
  });

  await google.run(LOAD, { typed: [shop.key] });

  const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  // Each with half a second of jitter, and what a fetch takes.
  assert.deepEqual(
    waits.map((wait) => Math.floor(wait / 1_000)),
    [2, 4, 8, 16, 30, 30, 30],
  );
});

test('when answers are lost, the sheet repeats, then stops and tries again by itself', async (t) => {
  let lost = 0;
  const { shop, google } = await openSheet(t, instance, {
    beforeFetch: (url) => !url.includes('/v1/orders') || lost-- <= 0,
  });
  await recordMany(shop, 250);

  lost = 3;
  const patient = await google.run(LOAD, { typed: [shop.key] });
  await recordMany(shop, 250, 2);
  lost = 6;
  const stopped = await google.run(LOAD);
  const { triggers } = await google.look();
  await google.pass({ minutes: 20 });

  assert.match(patient.shown.at(-1) ?? '', /250 órdenes nuevas y 0 cambiadas/);
  assert.match(stopped.shown.at(-1) ?? '', /Tianguis no contesta; se intenta otra vez más tarde/);
  assert.deepEqual(
    triggers.map(({ handler }) => handler),
    ['continuarCarga'],
  );
  const rows = await rowsOf(google, 'Órdenes');
  assert.equal(rows.filter(({ Piezas }) => Number(Piezas) >= 2).length, 250);
  assert.equal(rows.length, 250);
});

test('a script outside a sheet says where to paste it', async (t) => {
  const { shop, google } = await openSheet(t, instance);

  const { shown } = await google.run(LOAD, { typed: [shop.key], isUnbound: true });

  assert.match(shown.at(-1) ?? '', /Pega este código desde la hoja/);
});
