import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { getBalancesTool } from '../src/entrances/mcp/tools/get-balances.ts';
import { getInventoryTool } from '../src/entrances/mcp/tools/get-inventory.ts';
import { listCfdisTool } from '../src/entrances/mcp/tools/list-cfdis.ts';
import { listShipmentsTool } from '../src/entrances/mcp/tools/list-shipments.ts';
import { recordSettlements } from '../src/features/balances/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import {
  balance,
  FULL,
  filled,
  invoice,
  invoices,
  level,
  parcel,
  related,
  SHOP,
  shipments,
  stock,
} from './support/read-rows.ts';
import { answerText, call, connected, walk } from './support/reading.ts';
import { freshDatabase } from './support/server.ts';
import { aPayout } from './support/settlement.ts';

// What agents read besides orders and sales: stock, tax documents, balances, shipments.
// Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

// get_inventory

test('an agent finds stock by each filter alone and by several together', async () => {
  const instance = await shared.another();
  await stock(instance, SHOP, [
    level('LAMP-1', { title: 'Lámpara de escritorio', available: 3 }),
    level('lamp-1', { title: 'Otra, con minúsculas', available: 40 }),
    level('CAFE_1', { title: 'Café 100 % arábica', available: 12 }),
  ]);
  await stock(instance, FULL, [
    level('LAMP-1', {
      title: 'Lámpara de escritorio',
      available: 0,
      unavailable: 2,
      warehouse: 'marketplace',
    }),
    level('LAMP-2', { title: 'Lámpara de pie', available: 7 }),
  ]);
  const found = async (given: Parameters<typeof getInventoryTool.input.parse>[0]) =>
    (await call(instance, getInventoryTool, given as object)).data.map(
      ({ marketplace, sku, available }) => `${marketplace} ${sku} ${available}`,
    );

  assert.deepEqual(await found({ sku: 'LAMP-1' }), ['mercado_libre LAMP-1 0', 'shopify LAMP-1 3']);
  assert.deepEqual(await found({ sku: 'lamp-1' }), ['shopify lamp-1 40']);
  assert.deepEqual(await found({ query: 'CAFÉ 100 %' }), ['shopify CAFE_1 12']);
  assert.deepEqual(await found({ query: 'lampara de p' }), ['mercado_libre LAMP-2 7']);
  assert.deepEqual(await found({ query: '%' }), ['shopify CAFE_1 12']);
  assert.deepEqual(await found({ marketplace: ['mercado_libre'] }), [
    'mercado_libre LAMP-1 0',
    'mercado_libre LAMP-2 7',
  ]);
  assert.deepEqual(await found({ warehouse: 'marketplace' }), ['mercado_libre LAMP-1 0']);
  assert.deepEqual(await found({ max_available: 7 }), [
    'mercado_libre LAMP-1 0',
    'shopify LAMP-1 3',
    'mercado_libre LAMP-2 7',
  ]);
  assert.deepEqual(
    await found({
      sku: 'LAMP-1',
      query: 'lámpara',
      marketplace: ['shopify', 'mercado_libre'],
      warehouse: 'seller',
      max_available: 5,
    }),
    ['shopify LAMP-1 3'],
  );
});

test('a level says what it knows: unknown reserves and stock without limit are null and never 0', async () => {
  const instance = await shared.another();
  await stock(instance, FULL, [
    level('FULL', { available: 4, unavailable: 2, warehouse: 'marketplace' }),
    level('PROPIO', { available: 4 }),
  ]);
  await stock(instance, SHOP, [level('CURSO', { available: null })]);

  const { data } = await call(instance, getInventoryTool, { fields: 'full' });

  assert.deepEqual(
    data.map(({ sku, available, is_unlimited, reserved, total }) => [
      sku,
      available,
      is_unlimited,
      reserved,
      total,
    ]),
    [
      ['FULL', 4, false, 2, 6],
      ['PROPIO', 4, false, null, null],
      ['CURSO', null, true, 0, null],
    ],
  );
  const [full] = data;
  assert.deepEqual(full, {
    marketplace: 'mercado_libre',
    account_id: '468424241',
    warehouse: 'marketplace',
    sku: 'FULL',
    title: 'Título de FULL',
    available: 4,
    is_unlimited: false,
    reserved: 2,
    total: 6,
    updated_at: '2026-11-16T18:00:00.000Z',
    item_id: 'item FULL',
    variation_id: null,
  });
  const [compact] = (await call(instance, getInventoryTool, { sku: 'FULL' })).data;
  assert.equal(compact && 'item_id' in compact, false);
});

test('all 450 levels come once each in pages of 20 to 200, while stock moves', {
  tags: ['slow'],
}, async (t) => {
  const instance = await openApp(t, { database: await freshDatabase() });
  const levels = Array.from({ length: 450 }, (_, n) =>
    level(`S${n}`, { available: n % 9, warehouse: n % 5 === 0 ? 'marketplace' : 'seller' }),
  );
  for (const source of [SHOP, FULL])
    await stock(instance, source, levels.slice(source === SHOP ? 200 : 0));
  const expected = [
    ...levels.map(({ sku }) => `mercado_libre ${sku}`),
    ...levels.slice(200).map(({ sku }) => `shopify ${sku}`),
  ];
  const moving = async (pages: number) => {
    instance.clock.advance({ minutes: 1 });
    await stock(
      instance,
      FULL,
      levels.map((one) => ({ ...one, available: (one.available ?? 0) + pages })),
    );
  };

  for (const limit of [undefined, 200]) {
    const rows = await walk(
      (cursor) => call(instance, getInventoryTool, { limit, cursor }),
      moving,
    );
    assert.deepEqual(
      rows.map(({ marketplace, sku }) => `${marketplace} ${sku}`).sort(),
      expected.toSorted(),
    );
  }
  const scarce = await walk((cursor) =>
    call(instance, getInventoryTool, { max_available: 100, limit: 33, cursor }),
  );
  assert.deepEqual(
    scarce.map(({ marketplace, sku }) => `${marketplace} ${sku}`).sort(),
    expected.toSorted(),
  );
  assert.deepEqual(
    scarce.map(({ available }) => Number(available)),
    scarce.map(({ available }) => Number(available)).toSorted((a, b) => a - b),
  );
});

test('data that a marketplace lacks is shown as not available, by account and with the reason', async () => {
  const instance = await shared.another();
  await connected(instance, 'shopify', { accountId: SHOP.accountId, synced: ['inventory'] });
  await connected(instance, 'amazon', { accountId: 'A1' });
  await connected(instance, 'walmart', { accountId: 'W1', state: 'reauth_required' });
  await stock(instance, SHOP, [level('TAZA')]);

  const all = await call(instance, getInventoryTool, {});
  const one = await call(instance, getInventoryTool, { marketplace: ['coppel', 'shopify'] });

  assert.deepEqual(
    all.unavailable.map(({ marketplace, account_id, reason }) => [marketplace, account_id, reason]),
    [
      ['amazon', 'A1', 'Todavía no disponible: no ha terminado la primera sincronización.'],
      [
        'walmart',
        'W1',
        'No disponible: hay que volver a conectar la cuenta. Para hacerlo, pide ayuda a quien administra este servicio de Tianguis.',
      ],
    ],
  );
  assert.deepEqual(
    one.unavailable.map(({ marketplace, account_id, reason }) => [marketplace, account_id, reason]),
    [['coppel', null, 'No disponible: no hay ninguna cuenta de Coppel conectada.']],
  );
});

test('an empty list of stock says which filter emptied it, or that nothing is connected', async () => {
  const instance = await shared.another();
  const why = async (given: object) =>
    (await call(instance, getInventoryTool, given)).empty_because;

  assert.match(
    (await why({ sku: 'TAZA' })) ?? '',
    /^No hay ninguna cuenta conectada que dé existencias\./,
  );
  await connected(instance, 'shopify', { accountId: SHOP.accountId });
  assert.match((await why({})) ?? '', /no ha terminado la primera sincronización\.$/);
  await stock(instance, SHOP, [level('TAZA', { available: 5 }), level('VASO', { available: 1 })]);

  assert.equal(await why({}), undefined);
  assert.match(
    (await why({ sku: 'PLATO', marketplace: ['shopify'] })) ?? '',
    /^Sin el filtro sku sí hay/,
  );
  assert.match(
    (await why({ sku: 'TAZA', max_available: 1 })) ?? '',
    /si quitas uno de estos filtros, cualquiera: sku, max_available\.$/,
  );
  assert.match(
    (await why({ sku: 'PLATO', query: 'nada de eso' })) ?? '',
    /ningún renglón cumple estos filtros ni quitando uno solo: sku, query\.$/,
  );
});

// list_cfdis

test('a document whose XML was not read yet says so, and has no invented data', async () => {
  const instance = await shared.another();
  await invoices(instance, [
    invoice('D1', {
      uuid: UUID.toLowerCase(),
      xml: Buffer.from('<x/>'),
      orderIds: ['9', '10'],
      issuedAt: at('2026-11-15T10:00:00Z'),
    }),
    invoice('D2', {
      url: 'https://factura.example/privada?token=secreto',
      issuedAt: at('2026-11-14T10:00:00Z'),
    }),
  ]);

  const { data } = await call(instance, listCfdisTool, { fields: 'full' });

  assert.deepEqual(data, [
    {
      marketplace: 'mercado_libre',
      uuid: UUID,
      type: null,
      direction: null,
      status: null,
      issued_at: '2026-11-15T10:00:00.000Z',
      total: null,
      currency: null,
      issuer_rfc: null,
      receiver_rfc: null,
      period: null,
      withheld_isr: null,
      withheld_iva: null,
      order_ids: ['10', '9'],
      has_more_orders: false,
      unread_reason: 'El XML está guardado, pero todavía no se leen sus datos fiscales.',
      id: 'D1',
      account_id: '468424241',
      file_name: 'D1.xml',
      xml_size_bytes: 4,
      received_at: '2026-11-16T18:00:00.000Z',
      xml_url: null,
    },
    {
      marketplace: 'mercado_libre',
      uuid: null,
      type: null,
      direction: null,
      status: null,
      issued_at: '2026-11-14T10:00:00.000Z',
      total: null,
      currency: null,
      issuer_rfc: null,
      receiver_rfc: null,
      period: null,
      withheld_isr: null,
      withheld_iva: null,
      order_ids: ['orden D2'],
      has_more_orders: false,
      unread_reason: 'El marketplace no entregó el XML de este documento.',
      id: 'D2',
      account_id: '468424241',
      file_name: 'D2.xml',
      xml_size_bytes: null,
      received_at: '2026-11-16T18:00:00.000Z',
      xml_url: null,
    },
  ]);
});

test('an agent finds documents by each filter alone and by several together', async () => {
  const instance = await shared.another();
  await invoices(instance, [
    invoice('A', { uuid: UUID, issuedAt: at('2026-11-10T00:00:00Z'), orderIds: ['1', '2'] }),
    invoice('B', { issuedAt: at('2026-11-11T00:00:00Z'), orderIds: ['2'] }),
    invoice('C', { issuedAt: at('2026-11-12T00:00:00Z') }),
    invoice('D'),
  ]);
  await filled(instance, 'A', {
    type: 'ingreso',
    status: 'vigente',
    issuer: 'AAA010101AAA',
    receiver: 'XAXX010101000',
  });
  await filled(instance, 'B', {
    type: 'egreso',
    status: 'cancelado',
    issuer: 'AAA010101AAA',
    receiver: 'COMP800101AB1',
  });
  await filled(instance, 'C', {
    type: 'ingreso',
    status: 'cancelado',
    issuer: 'AAA010101AAA',
    receiver: 'AAA010101AAA',
  });
  const found = async (given: object) =>
    (await call(instance, listCfdisTool, { fields: 'full', ...given })).data
      .map(({ id }) => id)
      .join('');

  // The last has no date of issue: its place is that of its receipt.
  assert.equal(await found({}), 'DCBA');
  assert.equal(
    await found({ from: '2026-11-11T00:00:00Z', to: '2026-11-12T00:00:00-00:00' }),
    'CB',
  );
  assert.equal(await found({ from: '2026-11-11T00:00:00.001Z' }), 'DC');
  assert.equal(await found({ type: 'ingreso' }), 'CA');
  assert.equal(await found({ status: 'cancelado' }), 'CB');
  assert.equal(await found({ uuid: UUID.toLowerCase() }), 'A');
  assert.equal(await found({ order_id: '2' }), 'BA');
  assert.equal(await found({ rfc: 'aaa010101aaa' }), 'CBA');
  assert.equal(await found({ rfc: 'COMP800101AB1' }), 'B');
  assert.equal(await found({ rfc: 'AAA010101AAA', type: 'ingreso', status: 'cancelado' }), 'C');
  assert.equal(
    await found({ order_id: '2', type: 'ingreso', rfc: 'XAXX010101000', uuid: UUID }),
    'A',
  );
  assert.equal(await found({ uuid: UUID, to: '2026-11-09T00:00:00Z' }), '');
});

test('amounts of documents travel with the digits that they have, however many', async () => {
  const instance = await shared.another();
  await invoices(instance, [invoice('A')]);
  const total = '9007199254740993.120000';
  await filled(instance, 'A', {
    type: 'ingreso',
    status: 'vigente',
    issuer: 'A',
    receiver: 'B',
    total,
  });

  const text = await answerText(instance, listCfdisTool, {});

  assert.match(text, /"total":9007199254740993\.120000,/);
});

test('all 450 documents come once each, the newest first, while others arrive', async () => {
  const instance = await shared.another();
  await invoices(
    instance,
    Array.from({ length: 450 }, (_, n) =>
      // Many of one instant, so that the key decides.
      invoice(`D${n}`, {
        issuedAt: at('2026-11-01T00:00:00Z').add({ minutes: Math.floor(n / 30) }),
        orderIds: ['1'],
      }),
    ),
  );
  const arriving = (pages: number) =>
    invoices(instance, [invoice(`N${pages}`, { issuedAt: instance.clock.now() })]);

  for (const given of [
    {},
    { order_id: '1' },
    { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' },
  ]) {
    const rows = await walk(
      (cursor) => call(instance, listCfdisTool, { limit: 47, fields: 'full', ...given, cursor }),
      arriving,
    );
    const old = rows.map(({ id }) => String(id)).filter((id) => id.startsWith('D'));
    assert.equal(new Set(old).size, 450);
    assert.equal(old.length, 450);
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  }
});

test('a document of many orders names fifty of them and says that there are more', async () => {
  const instance = await shared.another();
  const orderIds = Array.from({ length: 51 }, (_, n) => `orden ${n}`);
  await invoices(instance, [invoice('GLOBAL', { orderIds })]);

  const { data } = await call(instance, listCfdisTool, {});

  assert.deepEqual([[data[0]?.order_ids].flat().length, data[0]?.has_more_orders], [50, true]);
});

test('an empty list of documents says that what was not read cannot be found by it', async () => {
  const instance = await shared.another();
  await connected(instance, 'mercado_libre', { synced: ['invoices'] });
  await invoices(instance, [invoice('A', { xml: Buffer.from('<x/>') })]);

  const { empty_because: because } = await call(instance, listCfdisTool, { type: 'ingreso' });

  assert.match(because ?? '', /^Sin el filtro type sí hay CFDI/);
  assert.match(
    because ?? '',
    /todavía no se leen, y type, direction, status y rfc no los encuentran\.$/,
  );
});

test('which connected marketplaces keep no tax documents is in each answer', async () => {
  const instance = await shared.another();
  await connected(instance, 'mercado_libre', { synced: ['invoices'] });
  await connected(instance, 'amazon', { accountId: 'A1', synced: ['orders'] });

  const { unavailable } = await call(instance, listCfdisTool, {});

  assert.deepEqual(
    unavailable.map(({ marketplace, account_id, reason }) => [marketplace, account_id, reason]),
    [['amazon', 'A1', 'No disponible: Amazon no ofrece los CFDI por su API.']],
  );
});

// get_balances

test('a balance names the last payout of its account in its currency, and the orders in it', async () => {
  const instance = await shared.another();
  const account = { marketplace: 'amazon', accountId: 'A1', connectionId: newId() } as const;
  await balance(instance, 'amazon', 'A1', { available: decimal('10.00') });
  await balance(instance, 'amazon', 'A1', { available: decimal('5.00'), currency: 'USD' });
  const movement = (id: string, orderId: string | null, payoutId: string) => ({
    ...{ key: id, kind: 'sale' as const, amount: decimal('2.50'), currency: 'MXN', payoutId },
    ...{ at: at('2026-11-02T00:00:00Z'), nativeType: 'Venta', orderId, isOpen: false },
  });
  const of = (prefix: string, count: number, payoutId: string) =>
    Array.from({ length: count }, (_, number) => {
      const id = `${prefix}-${String(number).padStart(2, '0')}`;
      return movement(id, id, payoutId);
    });
  await instance.app.database.within(instance.organization.id).write(async (scope) => {
    const movements = [...of('702', 22, 'P-2'), movement('x', null, 'P-2'), ...of('701', 1, 'P-1')];
    const whole = { id: '1', report: 'finances', covers: null, changedAt: null, opening: null };
    await recordLedgers(scope, account, [{ ...whole, movements }]);
    const payouts = [
      aPayout('P-1', '2.50', at('2026-11-01T00:00:00Z')),
      aPayout('P-2', '60.00', at('2026-11-08T00:00:00Z')),
      { ...aPayout('P-3', '1.00', at('2026-11-15T00:00:00Z')), status: 'pending' as const },
    ];
    await recordSettlements(scope, account, payouts, { announce: false });
  });

  const { data } = await call(instance, getBalancesTool, {});

  assert.deepEqual(
    data.map(({ currency, last_payout }: Record<string, unknown>) => [currency, last_payout]),
    [
      [
        'MXN',
        {
          ...{ id: 'P-2', paid_at: '2026-11-08T00:00:00.000Z', net: 60, difference: 2.5 },
          order_ids: of('702', 20, '').map(({ orderId }) => orderId),
          has_more_orders: true,
        },
      ],
      ['USD', null],
    ],
  );
});

test('balances are listed by account and currency, and an unknown one is null with its reason', async () => {
  const instance = await shared.another();
  await connected(instance, 'mercado_libre', { accountId: '468424241', synced: ['balances'] });
  await connected(instance, 'walmart', { accountId: 'W1', synced: ['orders'] });
  await connected(instance, 'zipnova', { accountId: '77', synced: ['balances'] });
  await balance(instance, 'mercado_libre', '468424241', {
    available: decimal('1200.50'),
    pending: null,
    releases: [{ at: at('2026-11-20T00:00:00Z'), amount: decimal('80.10') }],
  });
  await balance(instance, 'zipnova', '77', {
    available: decimal('450.00'),
    balance: decimal('-50.00'),
    creditLimit: decimal('500.00'),
  });

  const answer = await call(instance, getBalancesTool, {});

  assert.deepEqual(answer.data, [
    {
      marketplace: 'mercado_libre',
      carrier: null,
      account_id: '468424241',
      purse: null,
      currency: 'MXN',
      available: 1200.5,
      pending: null,
      releases: [{ at: '2026-11-20T00:00:00.000Z', amount: 80.1 }],
      balance: null,
      credit_limit: null,
      taken_at: '2026-11-16T18:00:00.000Z',
      is_derived: false,
      missing: [{ field: 'pending', reason: 'Mercado Libre no informa este dato.' }],
      last_payout: null,
    },
    {
      marketplace: null,
      carrier: 'zipnova',
      account_id: '77',
      purse: null,
      currency: 'MXN',
      available: 450,
      pending: null,
      releases: [],
      balance: -50,
      credit_limit: 500,
      taken_at: '2026-11-16T18:00:00.000Z',
      is_derived: false,
      missing: [],
      last_payout: null,
    },
  ]);
  assert.deepEqual(answer.unavailable, [
    {
      marketplace: 'walmart',
      carrier: null,
      account_id: 'W1',
      reason: 'No disponible: Walmart no ofrece los saldos por su API.',
    },
  ]);
  const carriers = ({ data }: typeof answer) =>
    data.map(({ marketplace, carrier }) => marketplace ?? carrier);
  assert.deepEqual(carriers(await call(instance, getBalancesTool, { include_carriers: false })), [
    'mercado_libre',
  ]);
  assert.deepEqual(carriers(await call(instance, getBalancesTool, { marketplace: ['amazon'] })), [
    'zipnova',
  ]);
  const none = await call(instance, getBalancesTool, {
    marketplace: ['amazon'],
    include_carriers: false,
  });
  assert.deepEqual(
    none.unavailable.map(({ reason }) => reason),
    ['No disponible: no hay ninguna cuenta de Amazon conectada.'],
  );
  assert.match(
    none.empty_because ?? '',
    /si quitas uno de estos filtros, cualquiera: marketplace, include_carriers\.$/,
  );
});

// list_shipments

test('an agent finds shipments by each filter alone and by several together', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({ id: 'orden-1', marketplace: 'woocommerce', accountId: 'tienda' }),
  ]);
  await shipments(instance, 'zipnova', [
    parcel('1', {
      category: 'ENTREGADO',
      createdAt: at('2026-11-10T00:00:00Z'),
      relations: [related('orden-1')],
    }),
    parcel('2', {
      category: 'INCIDENCIA',
      createdAt: at('2026-11-11T00:00:00Z'),
      guideNumber: 'G-2',
    }),
  ]);
  await shipments(instance, 'paquetexpress', [
    parcel('3', { category: 'EN_TRANSITO', createdAt: at('2026-11-12T00:00:00Z') }),
  ]);
  const found = async (given: object) =>
    (await call(instance, listShipmentsTool, given)).data.map(({ id }) => id).join('');

  assert.equal(await found({}), '321');
  assert.equal(await found({ carrier: 'zipnova' }), '21');
  assert.equal(await found({ category: ['INCIDENCIA', 'EN_TRANSITO'] }), '32');
  assert.equal(await found({ tracking_number: 'R3' }), '3');
  assert.equal(await found({ tracking_number: 'G-2' }), '2');
  assert.equal(await found({ tracking_number: 'r3' }), '');
  assert.equal(await found({ order_id: 'orden-1' }), '1');
  assert.equal(await found({ from: '2026-11-11T00:00:00Z', to: '2026-11-12T00:00:00Z' }), '32');
  assert.equal(
    await found({
      carrier: 'zipnova',
      category: ['ENTREGADO'],
      order_id: 'orden-1',
      from: '2026-11-10T00:00:00Z',
    }),
    '1',
  );
  assert.equal(await found({ carrier: 'paquetexpress', order_id: 'orden-1' }), '');
});

test('a shipment is shown by city alone: no street, postal code, telephone, mail or name of a buyer', async () => {
  const instance = await shared.another();
  const reported = {
    trackingNumber: 'R1',
    code: 'ENT',
    category: 'ENTREGADO' as const,
    description: 'Entregada',
    location: 'Zapopan, Jalisco',
    occurredAt: at('2026-11-15T09:00:00Z'),
    raw: '{"recibe":"Canaria Pérez"}',
  };
  await shipments(instance, 'zipnova', [
    parcel('1', {
      category: 'ENTREGADO',
      cost: decimal('119.90'),
      destination: { city: 'Zapopan', state: 'Jalisco', zipcode: '45100' },
      origin: { city: 'León', state: 'Guanajuato', zipcode: '37000' },
      events: [reported],
      raw: '{"street":"Calle Canaria 7","phone":"3300000000","email":"canaria@correo.example"}',
    }),
  ]);

  const compact = await call(instance, listShipmentsTool, {});
  const full = await call(instance, listShipmentsTool, { fields: 'full' });

  for (const answer of [compact, full])
    assert.doesNotMatch(JSON.stringify(answer), /canaria|45100|37000|3300000000|Bodega/i);
  assert.equal(compact.data[0] && 'events' in compact.data[0], false);
  assert.deepEqual(compact.data[0]?.destination, { city: 'Zapopan', state: 'Jalisco' });
  const [shown] = full.data;
  assert.deepEqual(
    [shown?.cost, shown?.weight_kg, shown?.contents, shown?.origin, shown?.destination],
    [
      119.9,
      1.5,
      'Tazas',
      { city: 'León', state: 'Guanajuato' },
      { city: 'Zapopan', state: 'Jalisco' },
    ],
  );
  assert.deepEqual(shown?.events, [
    {
      code: 'ENT',
      status: 'ENTREGADO',
      description: 'Entregada',
      location: 'Zapopan, Jalisco',
      occurred_at: '2026-11-15T09:00:00.000Z',
      source: 'tracking_history',
    },
  ]);
});

test('all 450 shipments come once each, the newest first, while their states change and others begin', {
  tags: ['slow'],
}, async (t) => {
  const instance = await openApp(t, { database: await freshDatabase() });
  const parcels = Array.from({ length: 450 }, (_, n) =>
    parcel(`P${n}`, { createdAt: at('2026-11-01T00:00:00Z').add({ minutes: Math.floor(n / 30) }) }),
  );
  await shipments(instance, 'zipnova', parcels);
  const moving = async (pages: number) => {
    instance.clock.advance({ minutes: 1 });
    const fetchedAt = instance.clock.now();
    const moved = parcels.map((one) => ({ ...one, fetchedAt, carrierStatus: `estado ${pages}` }));
    await shipments(instance, 'zipnova', [
      ...moved,
      parcel(`N${pages}`, { createdAt: fetchedAt, fetchedAt }),
    ]);
  };

  for (const given of [{}, { category: ['PREPARACION' as const] }]) {
    const rows = await walk(
      (cursor) => call(instance, listShipmentsTool, { limit: 100, ...given, cursor }),
      moving,
    );
    const old = rows.map(({ id }) => String(id)).filter((id) => id.startsWith('P'));
    assert.deepEqual([old.length, new Set(old).size], [450, 450]);
  }
});

// All of them

test('a cursor opens only the list that made it, with its filters and in its organisation', async () => {
  const instance = await shared.another();
  await stock(instance, SHOP, [level('A'), level('B'), level('C')]);
  await invoices(instance, [invoice('A'), invoice('B'), invoice('C')]);
  await shipments(instance, 'zipnova', [parcel('A'), parcel('B'), parcel('C')]);
  const { organization } = await instance.tenant();
  const lists = [
    [getInventoryTool, { query: 'título' }, { query: 'otra' }],
    [listCfdisTool, { from: '2026-01-01T00:00:00Z' }, { from: '2026-01-02T00:00:00Z' }],
    [listShipmentsTool, { carrier: 'zipnova' }, { carrier: 'paquetexpress' }],
  ] as const;
  const cursors: string[] = [];

  for (const [tool, given, other] of lists) {
    const open = (more: object, of = instance.organization) =>
      call(instance, tool as typeof listCfdisTool, more as object, of);
    const { pagination } = await open({ ...given, limit: 1 });
    const cursor = pagination.next_cursor ?? '';
    cursors.push(cursor);

    assert.equal((await open({ cursor, limit: 200 })).data.length, 2);
    assert.equal((await open({ ...given, cursor, fields: 'full' })).data.length, 2);
    const altered = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const [more, of] of [
      [{ ...other, cursor }],
      [{ cursor: altered }],
      [{ cursor: 'no es un cursor' }],
      [{ cursor }, organization],
    ] as const)
      await assert.rejects(open(more, of), { code: 'invalid_cursor', message: /El cursor/ });
  }
  for (const [at, [tool]] of lists.entries())
    for (const cursor of cursors.filter((_, from) => from !== at))
      await assert.rejects(call(instance, tool as typeof listCfdisTool, { cursor }), {
        code: 'invalid_cursor',
      });
});

test('nothing of another organisation is in any answer, for every request', async () => {
  const instance = await shared.another();
  const { organization } = await instance.tenant();
  await stock(instance, SHOP, [level('CANARIO')]);
  await invoices(instance, [invoice('CANARIO', { uuid: UUID })]);
  await filled(instance, 'CANARIO', {
    type: 'ingreso',
    status: 'vigente',
    issuer: 'CANARIO',
    receiver: 'CANARIO',
  });
  await shipments(instance, 'zipnova', [parcel('CANARIO')]);
  await balance(instance, 'amazon', 'CANARIO', { available: decimal('1') });
  await connected(instance, 'amazon', { accountId: 'CANARIO' });
  const asked = [
    ...[
      {},
      { sku: 'CANARIO' },
      { query: 'canario' },
      { max_available: 9 },
      { warehouse: 'seller' },
    ].map((given) => [getInventoryTool, given]),
    ...[
      {},
      { uuid: UUID },
      { order_id: 'orden CANARIO' },
      { rfc: 'CANARIO' },
      { type: 'ingreso' },
    ].map((given) => [listCfdisTool, given]),
    [getBalancesTool, {}],
    ...[{}, { tracking_number: 'RCANARIO' }, { carrier: 'zipnova' }].map((given) => [
      listShipmentsTool,
      given,
    ]),
  ] as [typeof listCfdisTool, object][];

  for (const [tool, given] of asked) {
    const answer = await call(instance, tool, given, organization);
    assert.deepEqual(answer.data, [], tool.name);
    assert.doesNotMatch(JSON.stringify(answer), /canario/i);
    assert.equal(
      (await call(instance, tool, given)).data.length,
      1,
      `${tool.name} ${JSON.stringify(given)}`,
    );
  }
});

test('a period that ends before it begins is refused in Spanish, and limits and words have bounds', async () => {
  const instance = await shared.another();
  const backwards = { from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' };

  for (const tool of [listCfdisTool, listShipmentsTool])
    await assert.rejects(call(instance, tool as typeof listCfdisTool, backwards), {
      code: 'invalid_request',
      param: 'from',
      message: 'El argumento from debe ser anterior o igual a to.',
    });
  for (const tool of [getInventoryTool, listCfdisTool, listShipmentsTool]) {
    const { input } = tool as typeof listCfdisTool;
    assert.deepEqual(
      [{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { fields: 'all' }, { unknown: 1 }].map(
        (given) => input.safeParse(given).success,
      ),
      [false, false, false, false, false],
    );
    assert.deepEqual([input.parse({}).limit, input.parse({}).fields], [20, 'compact']);
  }
  assert.equal(getInventoryTool.input.safeParse({ sku: 'A\0B' }).success, false);
  assert.equal(listShipmentsTool.input.safeParse({ from: '2026-11-01' }).success, false);
});

test('every tool and every field says in Spanish what it is, in schemas that agents can read', () => {
  for (const tool of [getInventoryTool, listCfdisTool, getBalancesTool, listShipmentsTool]) {
    const { properties } = z.toJSONSchema(tool.input, { io: 'input' }) as {
      properties: Record<string, object>;
    };
    for (const [name, property] of Object.entries(properties))
      assert.ok('description' in property, `${tool.name}.${name}`);
    assert.equal(z.toJSONSchema(tool.output, { io: 'output' }).type, 'object');
    assert.match(tool.title, /^(Consultar|Listar) /);
  }
});

// Arrangement

const UUID = '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73';

function at(text: string): Temporal.Instant {
  return Temporal.Instant.from(text);
}
