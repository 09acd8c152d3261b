import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Marketplace } from '../src/connectors/contract.ts';
import { recordStock } from '../src/features/inventory/index.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import type { TestApp } from './support/app.ts';
import { type Input, openPanel } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';

// Inventario: each SKU over all channels, what it measures, and the codes that stand for it.

let instance: TestApp;
let organizacion: string;
let owner: Known;
let member: Known;
const { ask, read, write } = openPanel(() => organizacion);

interface Row {
  readonly sku: string;
  readonly has_difference: boolean;
  readonly lack: string | null;
  readonly channels: readonly {
    readonly marketplace: string;
    readonly warehouse: string;
    readonly least: number | null;
    readonly most: number | null;
    readonly is_unlimited: boolean;
    readonly is_compared: boolean;
  }[];
}

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  member = await team.join('member');
  await stock('mercado_libre', [
    ['MLM1', 'TAZA', 'Taza azul', 12],
    ['MLM2', 'TAZA', 'Taza azul, otra publicación', 12],
    ['MLM3', 'PLATO', 'Plato hondo', 3],
    ['MLM4', 'VASO', 'Vaso', null],
    ['MLM5', null, 'Sin SKU', 9],
  ]);
  await stock('amazon', [
    ['AZ1', 'TAZA', 'Taza azul', 12],
    ['AZ2', 'PLATO', 'Plato hondo', 5],
    ['AZ3', 'AZ-VASO-6', 'Seis vasos', 4],
  ]);
  await stock('amazon', [['AZ9', 'TAZA', 'Taza azul', 40]], 'marketplace');
});

test('each SKU stands once, with the range of every channel; other warehouses and limits apart', async () => {
  const { data } = await read(owner, 'inventory.list', {});
  const rows: Row[] = data;
  assert.deepEqual(
    rows.map(({ sku }) => sku),
    ['AZ-VASO-6', 'PLATO', 'TAZA', 'VASO'],
  );
  const channels = of(rows, 'TAZA').channels.map((channel) => [
    channel.marketplace,
    channel.warehouse,
    channel.least,
    channel.most,
  ]);
  assert.deepEqual(channels, [
    ['amazon', 'seller', 12, 12],
    ['amazon', 'marketplace', 40, 40],
    ['mercado_libre', 'seller', 12, 12],
  ]);
  assert.deepEqual(
    rows.map(({ has_difference }) => has_difference),
    [false, true, false, false],
    'only the seller’s own stock is compared',
  );
  assert.equal(of(rows, 'VASO').channels[0]?.is_unlimited, true);
});

test('differences, what lacks measures, and words each narrow the list', async () => {
  assert.deepEqual(await skus({ only: 'differences' }), ['PLATO']);
  assert.deepEqual(await skus({ search: 'TAZA azul' }), ['TAZA']);
  assert.deepEqual(await skus({ search: 'hóndo', only: 'differences' }), ['PLATO']);
  assert.deepEqual(await skus({ search: 'az' }), ['AZ-VASO-6', 'TAZA'], 'short words, too');
  assert.deepEqual(await skus({ search: 'nada así' }), []);
  const measures = { weight_kg: '0.45', length_cm: '12', width_cm: '12', height_cm: '10' };
  await write(owner, 'products.change', { sku: 'TAZA', title: 'Taza azul', ...measures });
  await write(owner, 'products.change', { sku: 'PLATO', weight_kg: '0.6' });
  assert.deepEqual(await skus({ only: 'unmeasured' }), ['AZ-VASO-6', 'PLATO', 'VASO']);
  const { data } = await read(owner, 'inventory.list', { only: 'unmeasured' });
  assert.equal(of(data, 'PLATO').lack, 'dimensions');
  assert.equal(of(data, 'VASO').lack, 'weight');
});

test('pages follow each other without loss, whatever filters them', async () => {
  for (const only of [undefined, 'unmeasured']) {
    const given: Input = { ...(only && { only }), limit: '1' };
    const whole = await skus(only ? { only } : {});
    const met: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(owner, 'inventory.list', { ...given, ...(cursor && { cursor }) });
      met.push(...page.data.map(({ sku }: Row) => sku));
      cursor = page.next_cursor;
    }
    assert.deepEqual(met, whole);
  }
  const { next_cursor } = await read(owner, 'inventory.list', { limit: '1' });
  const other = await ask(owner, 'inventory.list', { cursor: next_cursor, search: 'vaso' }, 'read');
  assert.deepEqual([other.status, other.body.error.code], [400, 'invalid_cursor']);
});

test('an equivalence brings a code under our SKU, and removing it takes it away', async () => {
  const pack = { marketplace: 'amazon', code: 'AZ-VASO-6', sku: 'VASO' };
  await write(owner, 'products.add-equivalence', { ...pack, units: 6 });
  const vaso = await read(owner, 'inventory.get', { sku: 'VASO' });
  assert.deepEqual(
    vaso.levels.map((level: { code: string | null; units: number }) => [level.code, level.units]),
    [
      [null, 1],
      ['AZ-VASO-6', 6],
    ],
  );
  const { data: rows } = await read(owner, 'inventory.list', { search: 'VASO' });
  assert.equal(of(rows, 'VASO').has_difference, false);
  assert.deepEqual(
    of(rows, 'VASO').channels.map(({ marketplace, least, is_compared }) => [
      marketplace,
      least,
      is_compared,
    ]),
    [
      ['mercado_libre', null, true],
      ['amazon', 4, false],
    ],
    'a pack is not compared with single pieces',
  );
  assert.deepEqual(vaso.codes, [{ ...pack, account_id: null, units: 6 }]);
  const code = await read(owner, 'inventory.get', { sku: 'AZ-VASO-6' });
  assert.equal(code.stands_for[0].sku, 'VASO');
  assert.equal(code.lack, 'weight', 'what it stands for has no weight');
  const measures = { weight_kg: '0.2', length_cm: '7', width_cm: '7', height_cm: '9' };
  await write(owner, 'products.change', { sku: 'VASO', ...measures });
  assert.equal((await read(owner, 'inventory.get', { sku: 'AZ-VASO-6' })).lack, null);

  assert.deepEqual(await write(owner, 'products.remove-equivalence', pack), { removed: true });
  assert.deepEqual(await write(owner, 'products.remove-equivalence', pack), { removed: false });
  const without = await read(owner, 'inventory.get', { sku: 'VASO' });
  assert.deepEqual([without.codes, without.levels.length], [[], 1]);
});

test('a measure that is none is refused at its field, and only the warehouse changes measures', async () => {
  for (const weight_kg of ['1200', '0', '-1', '1,5', 'mucho', '1000000']) {
    const refused = await ask(owner, 'products.change', { sku: 'TAZA', weight_kg }, 'write');
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'weight_kg'], weight_kg);
  }
  const colleague = await ask(member, 'products.change', { sku: 'TAZA', weight_kg: '1' }, 'write');
  assert.equal(colleague.status, 403);
  assert.equal((await ask(member, 'inventory.list', {}, 'read')).status, 200);
});

test('measures are not changed over those that a colleague saved meanwhile', async () => {
  const size = { length_cm: '20', width_cm: '10', height_cm: '5' };
  const change = { sku: 'JARRA', ...size };
  await write(owner, 'products.change', change);
  const { version } = await read(owner, 'inventory.get', { sku: 'JARRA' });
  await write(owner, 'products.change', { ...change, weight_kg: '1.2', version });

  const late = { ...change, weight_kg: '', height_cm: '6', version };
  const refused = await ask(owner, 'products.change', late, 'write');
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'changed_meanwhile']);
  const now = await read(owner, 'inventory.get', { sku: 'JARRA' });
  assert.deepEqual([now.measures.weight_kg, now.measures.height_cm], [1.2, 5]);
  const given = { ...late, weight_kg: '1.2', version: now.version };
  assert.deepEqual(await write(owner, 'products.change', given), { changed: true });
});

test('a SKU is the very text that its marketplace gives: with spaces around it, or 255 characters', async () => {
  const measures = { weight_kg: '0.2', length_cm: '7', width_cm: '7', height_cm: '9' };
  for (const sku of ['TAZA ', 'T'.repeat(255)]) {
    await stock('walmart', [['W1', sku, 'Taza', 1]]);
    const found = await read(owner, 'inventory.get', { sku });
    assert.deepEqual([found.sku, found.levels.length, found.lack], [sku, 1, 'weight']);
    await write(owner, 'products.change', { sku, ...measures });
    assert.equal((await read(owner, 'inventory.get', { sku })).lack, null, sku);
  }
  const refused = await ask(owner, 'inventory.get', { sku: 'TAZA\0' }, 'read');
  assert.deepEqual([refused.status, refused.body.error.param], [400, 'sku']);
});

function of(rows: readonly Row[], sku: string): Row {
  const found = rows.find((row) => row.sku === sku);
  assert.ok(found, `${sku} is not there`);
  return found;
}

async function skus(filters: Input): Promise<string[]> {
  const { data } = await read(owner, 'inventory.list', filters);
  return data.map(({ sku }: Row) => sku);
}

function stock(
  marketplace: Marketplace,
  levels: readonly (readonly [string, string | null, string, number | null])[],
  warehouse: 'seller' | 'marketplace' = 'seller',
) {
  return instance.app.database.within(organizacion).write((scope) =>
    recordStock(
      scope,
      { marketplace, accountId: '1', connectionId: newId() },
      levels.map(([itemId, sku, title, available]) => ({
        itemId,
        variationId: '',
        warehouse,
        sku,
        title,
        available,
        unavailable: 0,
      })),
      { seenAt: instance.clock.now(), announce: false },
    ),
  );
}
