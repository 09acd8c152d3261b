import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { openApp } from './support/app.ts';
import { LOAD, openSheet, recordMany, rowsOf, scriptFor } from './support/google/sheet.ts';

// What sellers do with the template for Google Sheets and with its tabs.

const instance = await openApp(WHOLE_FILE);

test('the key is asked for once, tried before it is kept, and in no cell, code or log', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 2);

  const cancelled = await google.run(LOAD, { typed: [null] });
  const short = await google.run(LOAD, { typed: ['tgs_corta'] });
  const wrong = await google.run(LOAD, { typed: [`tgs_${'x'.repeat(45)}`] });
  const none = await google.look();
  const first = await google.run(LOAD, { typed: [` ${shop.key} `] });
  const second = await google.run(LOAD);
  const { user, document } = await google.look();

  assert.match(cancelled.shown.at(-1) ?? '', /No se guardó ninguna clave/);
  assert.match(short.shown.at(-1) ?? '', /no está completa/);
  assert.match(wrong.shown.at(-1) ?? '', /^La clave de API no es válida/);
  assert.equal('clave' in none.user, false);
  assert.equal(user.clave, shop.key);
  assert.match(second.shown.at(-1) ?? '', /Todo al día/);
  const cells = (
    await Promise.all(['Órdenes', 'Artículos'].map((name) => google.tab(name)))
  ).flatMap(({ rows }) => rows.flat());
  const seen = JSON.stringify([cells, document, first.shown, first.logged, second.shown]);
  assert.equal(seen.includes(shop.key), false);
});

test('a key of another organisation does not mix two organisations in one sheet', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  const other = await openShop(instance);
  await recordMany(shop, 2);
  await recordMany(other, 3);
  await google.run(LOAD, { typed: [shop.key] });

  await google.run('cambiarClave', { typed: [other.key] });
  const mixed = await google.run(LOAD);
  const kept = (await rowsOf(google, 'Órdenes')).length;
  await google.run('empezarDeNuevo', { agrees: true });

  assert.match(mixed.shown.at(-1) ?? '', /La clave es de otra organización/);
  assert.deepEqual([kept, (await rowsOf(google, 'Órdenes')).length], [2, 3]);
});

test('the seller may sort the sheet and rename its tabs; other headers are not written over', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 20);
  await google.run(LOAD, { typed: [shop.key] });
  await google.edit({ what: 'sort', tab: 'Órdenes' });
  await google.edit({ what: 'rename', tab: 'Órdenes', to: 'Ventas' });
  await recordMany(shop, 21, 5);

  await google.run(LOAD);
  const renamed = await rowsOf(google, 'Ventas');
  await google.edit({ what: 'cell', tab: 'Ventas', at: [1, 3], text: 'Pedido' });
  const refused = await google.run(LOAD);

  assert.equal(new Set(renamed.map(({ Orden }) => Orden)).size, 21);
  assert.equal(renamed.length, 21);
  assert.ok(renamed.every(({ Piezas }) => Number(Piezas) >= 5));
  assert.match(refused.shown.at(-1) ?? '', /La pestaña «Ventas» tiene otros encabezados/);
});

test('the seller may sort the sheet during a load: no order is written over another one', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 250);
  await google.run(LOAD, { typed: [shop.key] });
  await recordMany(shop, 260, 5);

  // The fetches are the key's organisation and three pages; the second page is on its way.
  const changes = ['Órdenes', 'Artículos'].map((tab) => ({ what: 'sort' as const, tab }));
  const { error, shown } = await google.run(LOAD, { editAt: { fetch: 3, changes } });

  const orders = await rowsOf(google, 'Órdenes');
  assert.equal(error, null);
  assert.match(shown.at(-1) ?? '', /10 órdenes nuevas y 250 cambiadas/);
  assert.equal(new Set(orders.map(({ Orden }) => Orden)).size, 260);
  assert.equal(orders.length, 260);
  assert.ok(orders.every(({ Piezas }) => Number(Piezas) >= 5));
  assert.equal((await rowsOf(google, 'Artículos')).length, 261);
});

test('a column that the seller moves during a load stops it before the next page is written', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 150);

  const change = { what: 'cell', tab: 'Órdenes', at: [1, 3], text: 'Pedido' } as const;
  const { shown } = await google.run(LOAD, {
    typed: [shop.key],
    editAt: { fetch: 4, changes: [change] },
  });

  assert.match(shown.at(-1) ?? '', /La pestaña «Órdenes» tiene otros encabezados/);
  assert.equal((await rowsOf(google, 'Órdenes')).length, 100);
});

test('a tab that was removed, or emptied, is filled anew', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 20);
  await google.run(LOAD, { typed: [shop.key] });

  await google.edit({ what: 'remove', tab: 'Artículos' });
  await google.run(LOAD);
  const items = (await rowsOf(google, 'Artículos')).length;
  await google.edit({ what: 'clear', tab: 'Órdenes' });
  await google.run(LOAD);

  assert.equal(items, 21);
  assert.equal((await rowsOf(google, 'Órdenes')).length, 20);
  assert.equal((await rowsOf(google, 'Artículos')).length, 21);
});

test('the menu is there when the file opens, and names functions that exist', async (t) => {
  const { google } = await openSheet(t, instance);

  const { menu, error } = await google.run('onOpen', { kind: 'open' });

  assert.equal(error, null);
  assert.equal(menu.length, 7);
  for (const [, name] of menu)
    assert.match(scriptFor(instance.url), new RegExp(`^function ${name}\\(`, 'm'));
});

test('the hourly trigger is made once, loads by itself, and can be taken away', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 3);
  await google.run('activarCadaHora', { typed: [shop.key] });
  await google.run('activarCadaHora');

  const ran = await google.pass({ minutes: 130 });
  const loaded = (await rowsOf(google, 'Órdenes')).length;
  const { shown } = await google.run('verEstado');
  await google.run('desactivarCadaHora');

  assert.deepEqual(
    ran.map(({ name, error }) => [name, error]),
    [
      ['actualizarCadaHora', null],
      ['actualizarCadaHora', null],
    ],
  );
  assert.equal(loaded, 3);
  assert.match(
    shown.at(-1) ?? '',
    /^\d\d\/\d\d\/\d{4} \d\d:\d\d: Todo al día: 0 .*\nSe actualiza automáticamente/,
  );
  assert.deepEqual((await google.look()).triggers, []);
});
