import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp } from '../support/app.ts';
import { contentOf, LOAD, openSheet, recordMany, rowsOf } from '../support/google/sheet.ts';

// The template for Google Sheets within the limits of Google: runs that are cut, hours of triggers.

const instance = await openApp(WHOLE_FILE);

test('a load that Google cuts at any call goes on with the next run: nothing is lost or doubled', async (t) => {
  const { shop, google } = await openSheet(t, instance, { quota: 10_000 });
  await recordMany(shop, 210);
  const { calls } = await google.run(LOAD, { typed: [shop.key] });
  const expected = await contentOf(google);

  for (let cutAt = 1; cutAt <= calls; cutAt++) {
    await google.reset();
    const cut = await google.run(LOAD, { typed: [shop.key], cutAt });
    const next = await google.run(LOAD, { typed: [shop.key] });
    assert.deepEqual([cut.stopped, next.error, next.stopped], ['cut', null, null], `${cutAt}`);
    assert.deepEqual(await contentOf(google), expected, `cut at call ${cutAt} of ${calls}`);
  }
});

test('triggers use an hour of the day at most, and the load goes on with the next day', {}, async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 300);
  await google.run(LOAD, { typed: [shop.key] });
  await google.run('activarCadaHora');
  const stopped = [];
  for (let round = 0; round < 20; round++) {
    await recordMany(shop, 300, round + 2);
    const ran = await google.run('actualizarCadaHora', { kind: 'trigger', fetchMs: 100_000 });
    stopped.push(ran.stopped);
  }
  const { day } = await google.look();
  const last = await google.run('actualizarCadaHora', { kind: 'trigger' });
  await google.pass({ hours: 25 });

  assert.deepEqual(new Set(stopped), new Set([null]));
  assert.ok(day.triggersMs <= 61 * 60_000, `${day.triggersMs / 60_000} minutes`);
  assert.match(last.logged.join(), /Sigue mañana: hoy ya corrió una hora/);
  assert.equal(
    (await rowsOf(google, 'Órdenes')).filter(({ Piezas }) => Number(Piezas) >= 21).length,
    300,
  );
});
