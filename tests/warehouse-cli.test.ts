import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Paquetexpress, startPaquetexpress } from '../simulators/paquetexpress/index.ts';
import { startZipnova, type Zipnova } from '../simulators/zipnova/index.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import { forgetDestinations } from '../src/features/warehouse/index.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { untickedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { query } from './support/market.ts';
import { type Ran, ranOf } from './support/ran.ts';
import { freshDatabase } from './support/server.ts';
import { ADDRESS, ORIGIN } from './support/warehouse.ts';

// The warehouse from the operator's terminal, beside a running instance, and without one.

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'tianguis-warehouse-'));
WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true }));

interface Shop {
  readonly instance: TestApp;
  readonly carrier: Paquetexpress;
  readonly lineId: string;
  run(...args: string[]): Promise<Ran>;
  start(...args: string[]): ChildProcess;
}

test('goods are imported from a table, and its wrong lines are reported by number', async (t) => {
  const shop = await openShop(t);
  const table = await file(
    'goods.csv',
    [
      'sku,title,weight_kg,length_cm,width_cm,height_cm,marketplace,account_id,code,units',
      'COLCHON,"Colchón ""nube"", 25 cm",22.5,190,100,25,,,,',
      'ROTO,Roto,mucho,1,1,1,,,,',
      'COLCHON,,,,,,mercado_libre,,TAZA-AZUL,1',
    ].join('\n'),
  );

  const first = await shop.run('import-products', table);
  const again = await shop.run('import-products', table);

  assert.deepEqual(first.json, {
    read: 3,
    products: 1,
    equivalences: 1,
    unchanged: 0,
    refused: 1,
    errors: [
      {
        line: 3,
        message: 'El campo weight_kg debe ser un número mayor que 0, con punto decimal: 1.25.',
      },
    ],
  });
  assert.deepEqual([again.json.products, again.json.equivalences, again.json.unchanged], [0, 0, 2]);
});

test('a SKU keeps its spaces in JSON and in quotes, and is as long as those of marketplaces', async (t) => {
  const shop = await openShop(t);
  const measures = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };
  const skus = [' AZUL ', 'AZUL', 'A'.repeat(255), 'A'.repeat(256)];
  const lines = skus.map((sku) => JSON.stringify({ sku, ...measures }));
  const table = [
    'sku,weight_kg,length_cm,width_cm,height_cm',
    '" AZUL ",1,1,1,1',
    ' AZUL ,1,1,1,1',
  ];

  const { json } = await shop.run('import-products', await file('a.ndjson', lines.join('\n')));
  const again = await shop.run('import-products', await file('a.csv', table.join('\n')));

  assert.deepEqual([json.products, json.refused], [3, 1]);
  assert.equal(json.errors[0].message, 'El campo sku admite hasta 255 caracteres.');
  assert.deepEqual([again.json.products, again.json.unchanged], [0, 2]);
});

test('a table without known columns is refused whole', async (t) => {
  const shop = await openShop(t);

  const { code, json } = await shop.run(
    'import-products',
    await file('bad.csv', 'nombre;peso\nA;1\n'),
  );

  assert.deepEqual([code, json.refused], [2, 1]);
  assert.match(json.errors[0].message, /No conozco: nombre, peso/);
});

test('from preparation to shipments: settings, address, guide, label, transfer and back', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(t);
  const { lineId } = shop;
  const line = ['--line', lineId];

  const listed = await shop.run('warehouse-lines');
  const blocked = await shop.run('generate-guides', '--lines', lineId);
  await prepare(shop);
  const made = await shop.run('generate-guides', '--lines', lineId, '--idempotency-key', 'clic');
  const again = await shop.run('generate-guides', '--lines', lineId, '--idempotency-key', 'clic');
  const attempt = made.json.results[0].attempt_id;
  const label = await shop.run('guide-labels', '--attempt', attempt);
  const moved = await shop.run('transfer-line', ...line);
  const back = await shop.run('transfer-line', ...line, '--undo', 'si');
  const cancelled = await shop.run('cancel-guide', '--attempt', attempt);
  const reported = await shop.run('warehouse-lines', ...line);

  assert.deepEqual(
    listed.json.lines.map((one: { line_id: string }) => one.line_id),
    [lineId],
  );
  assert.deepEqual([blocked.code, blocked.json.results[0].error.code], [1, 'missing_weight']);
  assert.deepEqual([made.code, made.json.summary.generated], [0, 1]);
  assert.deepEqual(again.json, made.json);
  assert.match(label.json.zpl, /^\^XA/);
  assert.deepEqual([moved.json.state, back.json.state], ['transferred', 'staged']);
  assert.match(cancelled.json.cancelled_at, /Z$/);
  assert.deepEqual([reported.json.tracking_number, reported.json.attempts.length], [null, 2]);
  assert.deepEqual(
    reported.json.actions.map(({ action }: { action: string }) => action),
    [
      'stage',
      'guide_blocked',
      'set_packages',
      'set_destination',
      'guide_requested',
      'guide_generated',
      'transfer',
      'undo_transfer',
      'cancel_guide',
    ],
  );
  assert.equal(shop.carrier.parcels().length, 1);
});

test('the same in words', { tags: ['slow'] }, async (t) => {
  const shop = await openShop(t);
  const words = async (...args: string[]) =>
    (await ranOf(shop.start(...args, '--organization', shop.instance.organization.id))).stdout;

  assert.match(
    await words('warehouse-lines'),
    /^[0-9a-f-]{36} · En preparación · mercado_libre 2000000000000001 · 1 paquete · sin dirección · sin guía\n$/,
  );
  assert.match(
    await words('generate-guides', '--lines', shop.lineId),
    /bloqueada · Falta el peso de TAZA-AZUL\. Escríbelo en Inventario/,
  );
  await prepare(shop);
  assert.match(await words('generate-guides', '--lines', shop.lineId), /: guía generada · \d+ · /);
  const { json } = await shop.run('warehouse-lines', '--line', shop.lineId);
  await shop.instance.app.database
    .within(shop.instance.organization.id)
    .write((scope) => forgetDestinations(scope, anOrder(), ['2000000000000001']));
  assert.match(
    await words('guide-labels', '--attempt', json.attempts.at(-1).attempt_id),
    /^Los datos de este comprador se borraron/,
  );
});

test('settings are printed, and changed by a file', async (t) => {
  const shop = await openShop(t);
  const change = await file('change.json', JSON.stringify({ guide: { content: 'BASE' } }));
  const wrong = await file('wrong.json', JSON.stringify({ guide: { product_id: '1' } }));

  const before = await shop.run('logistics-settings');
  const after = await shop.run('logistics-settings', '--change', change);
  const refused = await shop.run('logistics-settings', '--change', wrong);

  assert.deepEqual(
    [before.json.guide.content, before.json.guide.product_id],
    ['COLCHON', '56101508'],
  );
  assert.equal(after.json.guide.content, 'BASE');
  assert.deepEqual([refused.code, refused.json.error.code], [1, 'invalid_request']);
  assert.match(refused.json.error.message, /ocho dígitos/);
});

test('«En camino» from the terminal', { tags: ['slow'] }, async (t) => {
  const shop = await openShop(t);
  const zipnova = await startZipnova();
  t.after(() => zipnova.close());
  zipnova.parcels.make({
    isOwnFleet: true,
    code: 'ready_to_ship',
    relations: [{ order_id: '2000000000000001' }],
  });
  await connect(shop.instance.app.exchange, {
    organizationId: shop.instance.organization.id,
    service: 'zipnova',
    credentials: zipnova.credentials(),
    baseUrl: zipnova.url,
  });
  const press = () => shop.run('set-in-transit', '--line', shop.lineId);
  const refused = await press();
  const rule = await file(
    'fleet.json',
    JSON.stringify({ own_fleet: [{ marketplace: 'mercado_libre' }] }),
  );
  await shop.run('logistics-settings', '--change', rule);

  const [first, second] = [await press(), await press()];

  assert.equal(refused.json.error.code, 'own_fleet_required');
  assert.deepEqual(
    [first.json.state, first.json.was_set, second.json.was_set],
    ['in_transit', true, false],
  );
});

test('with two accounts of a carrier the terminal names them, and one is chosen with --account', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(t);
  const carriers: Zipnova[] = [];
  for (const account of [11, 22]) {
    const zipnova = await startZipnova({ accounts: [account] });
    t.after(() => zipnova.close());
    carriers.push(zipnova);
    await connect(shop.instance.app.exchange, {
      organizationId: shop.instance.organization.id,
      service: 'zipnova',
      credentials: zipnova.credentials(),
      baseUrl: zipnova.url,
    });
  }
  const rule = await file(
    'fleet.json',
    JSON.stringify({ own_fleet: [{ marketplace: 'mercado_libre' }] }),
  );
  await shop.run('logistics-settings', '--change', rule);

  const ambiguous = await shop.run('set-in-transit', '--line', shop.lineId);
  for (const { parcels } of carriers)
    parcels.make({ isOwnFleet: true, relations: [{ order_id: '2000000000000001' }] });
  const chosen = await shop.run('set-in-transit', '--line', shop.lineId, '--account', '22');

  const { code, message, details } = ambiguous.json.error;
  assert.deepEqual([ambiguous.code, code], [1, 'carrier_account_ambiguous']);
  assert.match(message, /11 \(Cuenta 11\), 22 \(Cuenta 22\)/);
  assert.deepEqual(
    details.accounts.map(({ id }: { id: string }) => id),
    ['11', '22'],
  );
  assert.deepEqual([chosen.json.state, chosen.json.was_set], ['in_transit', true]);
});

test('kill −9 between sending and hearing: the attempt is unknown, and no second guide is requested', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(t);
  await prepare(shop);
  const instance = await withoutInstance(shop);
  shop.carrier.faults.next({ kind: 'timeout', match: /rad\/v1\/guia\b/ });
  const asked = () => shop.carrier.calls(/rad\/v1\/guia$/);
  const order = ['generate-guides', '--lines', shop.lineId, '--idempotency-key', 'clic'];
  const child = shop.start(...order, '--organization', instance.organizationId, '--json');
  await soon(async () => assert.equal(asked(), 1), 20_000);
  child.kill('SIGKILL');
  await once(child, 'close');

  const { json } = await shop.run(...order);

  assert.equal(json.results[0].outcome, 'unknown');
  assert.equal(asked(), 1);
  const { attempt_id: attempt } = json.results[0];
  const settled = await shop.run('settle-attempt', '--attempt', attempt, '--tracking', 'ninguno');
  assert.equal(settled.json.error.code, 'confirmed_absent');
  const made = await shop.run('generate-guides', '--lines', shop.lineId);
  assert.deepEqual([made.json.summary.generated, asked()], [1, 2]);
});

async function openShop(t: TestContext): Promise<Shop> {
  const database = await freshDatabase();
  const instance = await openApp(t, { clock: untickedClock, database });
  const carrier = await startPaquetexpress();
  t.after(() => carrier.close());
  await connect(instance.app.exchange, {
    organizationId: instance.organization.id,
    service: 'paquetexpress',
    credentials: carrier.credentials(),
    baseUrl: carrier.url,
  });
  await instance.record([anOrder()]);
  const [line] = await query(instance, 'select id from warehouse_lines');
  const start = (...args: string[]) =>
    spawn(process.execPath, [join(CHECKOUT, 'src/cli.ts'), ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...instance.env,
      },
    });
  return {
    instance,
    carrier,
    lineId: String(line?.id),
    start,
    run: (...args) =>
      runHere([...args, '--organization', instance.organization.id, '--json'], instance.env),
  };
}

/** What a guide needs besides the line. */
async function prepare(shop: Shop): Promise<void> {
  const goods = { sku: 'TAZA-AZUL', weight_kg: 0.45, length_cm: 12, width_cm: 10, height_cm: 9.5 };
  const destination = await file('destination.json', JSON.stringify(ADDRESS));
  await shop.run('import-products', await file('goods.ndjson', JSON.stringify(goods)));
  await shop.run(
    'logistics-settings',
    '--change',
    await file('origin.json', JSON.stringify({ origin: ORIGIN })),
  );
  await shop.run(
    'edit-line',
    '--line',
    shop.lineId,
    '--packages',
    '2',
    '--destination',
    destination,
  );
}

/** The command does the work itself then, so that killing it kills the sender. */
async function withoutInstance({ instance }: Shop): Promise<{ organizationId: string }> {
  const organizationId = instance.organization.id;
  await instance.app.close();
  return { organizationId };
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, `${process.hrtime.bigint()}-${name}`);
  await writeFile(path, content);
  return path;
}
