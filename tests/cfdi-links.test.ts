import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import {
  type CfdiDocument,
  type DocumentReader,
  decideLink,
  heldCfdis,
  linkLateOrders,
  listCfdiDocuments,
  readInvoices,
  reading,
  recordCfdis,
  recordInvoices,
  setFiscalProfile,
} from '../src/features/cfdi/index.ts';
import type { Order } from '../src/features/orders/index.ts';
import { cursorMaker } from '../src/platform/cursor.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { aCertificate, aCfdi, aCfdiWithIsr, folioOf } from './support/cfdi-files.ts';
import { query } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { someoneWaits } from './support/server.ts';

// Whose a CFDI is, and which orders it belongs to.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const MELI = { marketplace: 'mercado_libre', accountId: '468424241' } as const;
const NO_FILTER = {
  ...{ from: null, to: null, type: null, direction: null, status: null },
  ...{ uuid: null, orderId: null, rfc: null },
};
const PROFILE = { person: 'legal', regime: '601', hasBorderVat: false } as const;
let instance: TestApp;

before(async () => {
  instance = await openApp(whole);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('the direction follows the profile, and changes with it; the public is no own RFC', async () => {
  const shop = await openShop();
  await shop.upload(
    aCfdi({ uuid: folioOf(1) }),
    aCfdi({ uuid: folioOf(2), issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' }),
  );
  const directions = async () =>
    Object.fromEntries(
      (await shop.rows('select uuid, direction from cfdis where organization_id = $1')).map(
        ({ uuid, direction }) => [Number(String(uuid).slice(-3)), direction],
      ),
    );
  assert.deepEqual(await directions(), { 1: 'other', 2: 'other' });
  assert.equal(await shop.profile(['aaa010101aaa']), 2);
  assert.deepEqual(await directions(), { 1: 'issued', 2: 'received' });
  await shop.upload(aCfdi({ uuid: folioOf(3) }));
  assert.equal((await directions())[3], 'issued');
  assert.equal(await shop.profile(['MKT010101AA1']), 3);
  assert.deepEqual(await directions(), { 1: 'other', 2: 'issued', 3: 'other' });
  await assert.rejects(shop.profile(['XAXX010101000']), /RFC genérico/);
  await assert.rejects(shop.profile(['AAA']), /no es un RFC/);
});

test('an order that an invoice names for its exact total gets it, and moves once', async () => {
  const shop = await openShop();
  await shop.record([anOrder({ id: '2000000000000007', total: decimal('116.00') })]);
  const [before] = await shop.orders();
  const named = { uuid: folioOf(10), total: '116.00', sku: '2000000000000007' };
  await shop.upload(aCfdi(named));
  const [order] = await shop.orders();
  assert.deepEqual(order?.cfdi, { required: null, status: 'desconocido', uuid: folioOf(10) });
  assert.notEqual(order?.last_updated, before?.last_updated);
  await shop.upload(aCfdi(named));
  await runHousekeeping(instance.app.exchange);
  assert.deepEqual(await shop.orders(), [order], 'a known document and another look move nothing');
});

test('orders show their invoices by the profile as it was changed, and move', async () => {
  const shop = await openShop();
  const [first, second] = ['2000000000000011', '2000000000000012'] as const;
  const uuids = async () => {
    await runHousekeeping(instance.app.exchange);
    return (await shop.orders()).map(({ cfdi }) => cfdi.uuid);
  };
  const parties = { issuer: 'MKT010101AA1', receiver: 'AAA010101AAA', total: '116.00' };
  await shop.record([first, second].map((id) => anOrder({ id, total: decimal('116.00') })));
  await shop.upload(aCfdi({ ...parties, uuid: folioOf(11), sku: first }));
  assert.deepEqual(await uuids(), [folioOf(11), null]);
  const [before] = await shop.orders();

  await shop.profile(['AAA010101AAA']);
  await shop.upload(aCfdi({ ...parties, uuid: folioOf(12), sku: second }));
  assert.deepEqual(await uuids(), [null, null], 'what is received is no invoice of a sale');
  assert.notEqual((await shop.orders())[0]?.last_updated, before?.last_updated);

  await shop.profile(['MKT010101AA1']);
  assert.deepEqual(await uuids(), [folioOf(11), folioOf(12)]);
  const settled = await shop.orders();
  await uuids();
  assert.deepEqual(await shop.orders(), settled, 'another look moves nothing');
});

test('orders are looked for again by a profile that was changed during the look', async () => {
  const shop = await openShop();
  const parties = { issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' };
  await shop.upload(aCfdi({ ...parties, uuid: folioOf(13) }));
  await shop.profile(['AAA010101AAA']);
  let changed: Promise<unknown> | undefined;
  await shop.within.write(async (scope) => {
    const vault = async () => {
      changed ??= shop.profile(['MKT010101AA1']);
      await Promise.race([changed, someoneWaits(instance.app.database)]);
      return scope.vault();
    };
    await linkLateOrders({ ...scope, vault }, () => [], 10);
  });
  await changed;
  const due = await shop.rows(
    'select direction from cfdis where organization_id = $1 and look_at is not null',
  );
  assert.deepEqual(due, [{ direction: 'issued' }]);
});

test('another total, a short name, or two orders of one id are never guessed', async () => {
  const shop = await openShop();
  await shop.record([
    anOrder({ id: '2000000000000008', total: decimal('116.01') }),
    anOrder({ id: '12', total: decimal('50.00') }),
    anOrder({ id: '2000000000000009', total: decimal('70.00') }),
    anOrder({ id: '2000000000000009', total: decimal('70.00'), accountId: 'otra' }),
  ]);
  await shop.upload(
    aCfdi({ uuid: folioOf(20), total: '116.00', sku: '2000000000000008' }),
    aCfdi({ uuid: folioOf(21), total: '50.00', sku: '12' }),
    aCfdi({ uuid: folioOf(22), total: '70.00', sku: '2000000000000009' }),
  );
  for (const order of await shop.orders()) assert.equal(order.cfdi.uuid, null, order.id);
});

test('an invoice may be for what the buyer paid, where the total leaves out shipping and a coupon', async () => {
  const shop = await openShop();
  const totalIncludes = { shipping: false, tax: true, orderDiscount: false };
  const amounts = ['100.00', '129.00', '80.00', '109.00', '149.00'];
  const ids = amounts.map((_, at) => `20000000000002${at}0`);
  const money = { shippingTotal: decimal('29.00'), orderDiscount: decimal('20.00'), totalIncludes };
  await shop.record(ids.map((id) => anOrder({ ...money, id, total: decimal('100.00') })));
  await shop.upload(
    ...amounts.map((total, at) =>
      aCfdi({ uuid: folioOf(200 + at), total, sku: ids[at] as string }),
    ),
  );
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(200), folioOf(201), folioOf(202), folioOf(203), null],
  );
});

test('an invoice of which its receiver keeps taxes is for what was charged', async () => {
  const shop = await openShop();
  const ids = ['2000000000000501', '2000000000000502', '2000000000000503'] as const;
  await shop.record(ids.map((id) => anOrder({ id, total: decimal('116.00') })));
  await shop.upload(
    aCfdiWithIsr(folioOf(501), ['LAP-01'], `Folio="${ids[0]}"`),
    aCfdiWithIsr(folioOf(502), [ids[1], ids[2]]),
  );
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(501), folioOf(502), folioOf(502)],
  );
});

test('an invoice that names a pack is for all of its orders, with its shipping or without', async () => {
  const shop = await openShop();
  const packs = ['2000000000000310', '2000000000000320', '2000000000000330'];
  const orders = packs.flatMap((packId, at) =>
    [1, 2].map((place) => {
      const id = `20000000000003${at}${place}`;
      const totalIncludes = { shipping: false, tax: true, orderDiscount: true };
      const pack = { packId, packShippingTotal: decimal('99.00'), totalIncludes };
      return anOrder({ ...pack, id, total: decimal('50.00') });
    }),
  );
  await shop.record(orders);
  await shop.upload(
    ...['100.00', '199.00', '150.00'].map((total, at) =>
      aCfdi({ uuid: folioOf(310 + at), total, root: `Folio="${packs[at]}"` }),
    ),
  );
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(310), folioOf(310), folioOf(311), folioOf(311), null, null],
  );
});

test('a global invoice names all of its orders, however many they are', async () => {
  const shop = await openShop();
  const last = '2000000000000400';
  await shop.record([anOrder({ id: last, total: decimal('116.00') })]);
  const text = aCfdi({ uuid: folioOf(400), total: '116.00', sku: last });
  const item = /<cfdi:Concepto .*?\/>/.exec(text)?.[0] as string;
  const others = Array.from({ length: 12_000 }, (_, at) => item.replace(last, `SALE-${at}-0`));
  await shop.upload(text.replace(item, `${others.join('')}${item}`));
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(400)],
  );
});

test('what a marketplace reported links its orders, also those that come later', async () => {
  const shop = await openShop();
  const source = {
    marketplace: 'mercado_libre',
    accountId: '468424241',
    connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
  } as const;
  await shop.within.write((scope) =>
    recordInvoices(scope, source, [
      {
        ...{ id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null },
        xml: Buffer.from(aCfdi({ uuid: folioOf(30) })),
        orderIds: ['2000000000000030', '2000000000000031'],
      },
    ]),
  );
  await shop.record([anOrder({ id: '2000000000000030', accountId: source.accountId })]);
  await runHousekeeping(instance.app.exchange);
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(30)],
  );
  await shop.record([anOrder({ id: '2000000000000031', accountId: source.accountId })]);
  await runHousekeeping(instance.app.exchange);
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(30), folioOf(30)],
  );
  assert.equal((await shop.within.read((scope) => heldCfdis(scope, null))).length, 1);
});

test('one folio from two marketplaces is one document with the orders of both', async () => {
  const shop = await openShop();
  const sources = [
    { marketplace: 'mercado_libre', accountId: '468424241' },
    { marketplace: 'walmart', accountId: 'W1' },
  ] as const;
  const xml = aCfdi({ uuid: folioOf(40) });
  for (const [at, source] of sources.entries()) {
    const order = { ...source, id: `2000000000000${40 + at}` };
    await shop.record([anOrder(order)]);
    const connectionId = '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42';
    const invoice = { id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null };
    await shop.within.write((scope) =>
      recordInvoices(scope, { ...source, connectionId }, [
        { ...invoice, xml: Buffer.from(xml), orderIds: [order.id] },
      ]),
    );
    await runHousekeeping(instance.app.exchange);
  }
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [folioOf(40), folioOf(40)],
  );
  assert.equal((await shop.within.read((scope) => heldCfdis(scope, null))).length, 1);
});

test('a version that a marketplace gives while the one before it is read is read after it', async () => {
  const shop = await openShop();
  const source = { ...MELI, connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42' };
  const give = (folio: string) =>
    shop.within.write((scope) =>
      recordInvoices(scope, source, [
        {
          ...{ id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null, orderIds: [] },
          xml: Buffer.from(aCfdi({ uuid: folio })),
        },
      ]),
    );
  const isReading = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const readAll = (waits: Promise<void>) => {
    const read: DocumentReader['read'] = async (xml) => {
      isReading.resolve();
      await waits;
      return readCfdi(Buffer.from(xml));
    };
    const reader = { read, readPacked: () => Promise.reject(new Error('no files are packed')) };
    return readInvoices(shop.within, reader, () => [], 10);
  };
  await give(folioOf(80));
  const first = readAll(mayEnd.promise);
  await isReading.promise;
  const second = give(folioOf(81));
  await Promise.race([second, someoneWaits(instance.app.database)]);
  mayEnd.resolve();
  await Promise.all([first, second]);

  assert.equal(await readAll(Promise.resolve()), 1);
  const read = await shop.rows('select uuid from cfdis where organization_id = $1 order by uuid');
  assert.deepEqual(
    read.map(({ uuid }) => uuid),
    [folioOf(80), folioOf(81)],
  );
});

test('a version that a marketplace gives while the one before it is refused is read after it', async () => {
  const shop = await openShop();
  const source = { ...MELI, connectionId: newId() };
  const give = (uuid: string, total: string) =>
    shop.within.write((scope) =>
      recordInvoices(scope, source, [
        {
          ...{ id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null, orderIds: [] },
          xml: Buffer.from(aCfdi({ uuid, total })),
        },
      ]),
    );
  await query(instance, 'alter table cfdis add constraint poison check (total <> 666)');
  await give(folioOf(82), '666.00');
  let writes = 0;
  const organization: typeof shop.within = {
    ...shop.within,
    async write(work) {
      writes += 1;
      if (writes === 2) await give(folioOf(83), '116.00');
      return shop.within.write(work);
    },
  };

  await reading((reader) => readInvoices(organization, reader, () => [], 10));
  await reading((reader) => readInvoices(organization, reader, () => [], 10));
  await query(instance, 'alter table cfdis drop constraint poison');

  const read = await shop.rows('select uuid from cfdis where organization_id = $1');
  assert.deepEqual(read, [{ uuid: folioOf(83) }]);
});

test('a list of documents has the orders that people linked, and not those that they undid', async () => {
  const shop = await openShop();
  const source = { ...MELI, connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42' };
  const ids = ['2000000000000040', '2000000000000041'] as const;
  await shop.record(ids.map((id) => anOrder({ id, accountId: source.accountId })));
  await shop.within.write((scope) =>
    recordInvoices(scope, source, [
      {
        ...{ id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null },
        xml: Buffer.from(aCfdi({ uuid: folioOf(40) })),
        orderIds: [ids[0]],
      },
    ]),
  );
  await runHousekeeping(instance.app.exchange);
  assert.deepEqual(await shop.listed({ orderId: null }), [[ids[0]]]);

  await shop.settle(folioOf(40), ids[1], 'linked');
  assert.deepEqual(await shop.listed({ orderId: ids[1] }), [[...ids]]);
  await shop.settle(folioOf(40), ids[0], 'rejected');
  assert.deepEqual(await shop.listed({ orderId: null }), [[ids[1]]]);
});

test('an invoice that substitutes another one and names no order is for its orders, whichever comes first', async () => {
  const shop = await openShop();
  const id = '2000000000000045';
  await shop.record([anOrder({ id, accountId: MELI.accountId })]);
  const shown = async () => (await shop.orders()).map(({ cfdi }) => cfdi.uuid);
  const [first, second, third] = [folioOf(45), folioOf(46), folioOf(47)];
  await shop.upload(aCfdi({ uuid: first }), aSubstitute(second, first, 17));
  assert.deepEqual(await shown(), [null]);

  await shop.settle(first, id, 'linked');
  assert.deepEqual(await shown(), [second]);
  await shop.upload(aSubstitute(third, second, 18));
  assert.deepEqual(await shown(), [third]);

  const other = '2000000000000044';
  await shop.record([anOrder({ id: other, accountId: MELI.accountId })]);
  await shop.settle(first, other, 'linked');
  assert.deepEqual(await shown(), [third, third], 'an order that a person adds, too');
  await shop.settle(third, other, 'rejected');
  await shop.settle(second, other, 'rejected');
  await shop.settle(first, other, 'rejected');

  await shop.settle(third, id, 'rejected');
  await shop.settle(first, id, 'rejected');
  await shop.settle(first, id, 'linked');
  assert.deepEqual(await shown(), [null, second], 'what a person undid stays undone');
});

test('several substitutes of one upload have the orders that the first invoice names, also those that come later', async () => {
  const shop = await openShop();
  const id = '2000000000000055';
  const [first, second, third] = [folioOf(55), folioOf(56), folioOf(57)];
  await shop.upload(
    aSubstitute(third, second, 18),
    aSubstitute(second, first, 17),
    aCfdi({ uuid: first, total: '116.00', sku: id }),
  );
  await shop.record([anOrder({ id, total: decimal('116.00') })]);
  instance.clock.advance({ hours: 7 });
  await runHousekeeping(instance.app.exchange);
  const links = await shop.rows(
    `select uuid from cfdi_orders where organization_id = $1 and state = 'linked' order by uuid`,
  );
  assert.deepEqual(
    links.map(({ uuid }) => uuid),
    [first, second, third],
  );
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [third],
  );
});

test('an invoice of another issuer, or one that names its own order, takes over no orders', async () => {
  const shop = await openShop();
  const [ours, own] = ['2000000000000065', '2000000000000066'] as const;
  await shop.record([
    anOrder({ id: ours, accountId: MELI.accountId, total: decimal('10.00') }),
    anOrder({ id: own, accountId: MELI.accountId, total: decimal('116.00') }),
  ]);
  const first = folioOf(65);
  await shop.upload(aCfdi({ uuid: first }));
  await shop.settle(first, ours, 'linked');
  await shop.upload(
    aSubstitute(folioOf(66), first, 17, { issuer: 'BBB010101BBB' }),
    aSubstitute(folioOf(67), first, 17, { total: '116.00', sku: own }),
  );
  assert.deepEqual(
    (await shop.orders()).map(({ cfdi }) => cfdi.uuid),
    [first, folioOf(67)],
  );
});

test('the list of all has uploads and certificates, and each folio once, page by page', async () => {
  const shop = await openShop();
  const source = { ...MELI, connectionId: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42' };
  const given = (id: string, xml: string | null) => ({
    ...{ id, fileName: null, uuid: null, url: null, issuedAt: null, orderIds: [id] },
    xml: xml === null ? null : Buffer.from(xml),
  });
  await shop.within.write((scope) =>
    recordInvoices(scope, source, [
      given('once', aCfdi({ uuid: folioOf(50) })),
      given('again', aCfdi({ uuid: folioOf(50) })),
      given('broken', '<roto'),
      given('later', null),
    ]),
  );
  await runHousekeeping(instance.app.exchange);
  await shop.upload(
    aCfdi({ uuid: folioOf(51), issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' }),
    aCertificate({ uuid: folioOf(52) }),
  );
  await shop.profile(['AAA010101AAA']);

  const all = await shop.walked({}, 2);
  assert.deepEqual(
    all.map(({ marketplace, id, type, isRead }) => [marketplace, id, type, isRead]),
    [
      ['mercado_libre', 'later', null, false],
      ['mercado_libre', 'broken', null, false],
      [null, folioOf(51), 'ingreso', true],
      ['mercado_libre', 'again', 'ingreso', true],
      [null, folioOf(52), 'retencion', true],
    ],
  );
  assert.deepEqual(all[3]?.orderIds, ['again', 'once']);
  assert.partialDeepStrictEqual(all[4]?.withheld, {
    ...{ period: '2026-10', isr: '5.03', iva: '16.08', base: '201.00' },
  });
  const ids = async (filters: object) => (await shop.walked(filters, 2)).map(({ id }) => id);
  assert.deepEqual(await ids({ type: 'retencion' }), [folioOf(52)]);
  assert.deepEqual(await ids({ direction: 'received' }), [folioOf(51)]);
  assert.deepEqual(await ids({ orderId: 'broken' }), ['broken']);

  await shop.within.write((scope) =>
    recordInvoices(scope, source, [{ ...given('once', null), orderIds: ['another'] }]),
  );
  assert.deepEqual(await ids({ orderId: 'another' }), ['again'], 'a later order is linked, too');
});

test('of two invoices of one order that are stored at one moment the newer one counts', async () => {
  const shop = await openShop();
  // The first document makes what later ones share.
  await shop.upload(aCfdi({ uuid: folioOf(59) }));
  const order = '2000000000000060';
  await shop.record([anOrder({ id: order, total: decimal('116.00') })]);
  const named = { total: '116.00', sku: order };
  const newer = aCfdi({ ...named, uuid: folioOf(60) }).replace('T11:59:59', 'T12:30:00');
  const older = aCfdi({ ...named, uuid: folioOf(61) });
  const isStored = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = shop.within.write(async (scope) => {
    await shop.recordIn(scope, newer);
    isStored.resolve();
    await mayEnd.promise;
  });
  await isStored.promise;
  const second = shop.upload(older);
  await someoneWaits(instance.app.database);
  mayEnd.resolve();
  await Promise.all([first, second]);
  const [shown] = await shop.orders();
  assert.equal(shown?.cfdi.uuid, folioOf(60));
});

test('an order whose link a person undoes while an invoice of it is stored shows that invoice', async () => {
  const shop = await openShop();
  const id = '2000000000000078';
  await shop.record([anOrder({ id, accountId: MELI.accountId, total: decimal('116.00') })]);
  const named = { total: '116.00', sku: id };
  const [older, newer] = [folioOf(78), folioOf(79)];
  await shop.upload(aCfdi({ ...named, uuid: older }));
  const isStored = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = shop.within.write(async (scope) => {
    await shop.recordIn(scope, aCfdi({ ...named, uuid: newer }));
    isStored.resolve();
    await mayEnd.promise;
  });
  await isStored.promise;
  const second = shop.settle(older, id, 'rejected');
  await someoneWaits(instance.app.database);
  mayEnd.resolve();
  await Promise.all([first, second]);
  const [shown] = await shop.orders();
  assert.equal(shown?.cfdi.uuid, newer);
});

test('a substitute and its former document that are stored at one moment have the same orders', async () => {
  const shop = await openShop();
  await shop.upload(aCfdi({ uuid: folioOf(73) }));
  const numbers = [74, 76];
  const ids = numbers.map((number) => `20000000000000${number}`);
  await shop.record(ids.map((id) => anOrder({ id, total: decimal('116.00') })));
  for (const [at, number] of numbers.entries()) {
    const [former, substitute] = [folioOf(number), folioOf(number + 1)];
    const pair = [
      aCfdi({ uuid: former, total: '116.00', sku: `${ids[at]}` }),
      aSubstitute(substitute, former, 17),
    ];
    const [one = '', other = ''] = at === 0 ? pair : pair.toReversed();
    const isStored = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = shop.within.write(async (scope) => {
      await shop.recordIn(scope, one);
      isStored.resolve();
      await mayEnd.promise;
    });
    await isStored.promise;
    const second = shop.upload(other);
    await Promise.race([second, someoneWaits(instance.app.database)]);
    mayEnd.resolve();
    await Promise.all([first, second]);
  }
  const shown = (await shop.orders()).map(({ cfdi }) => cfdi.uuid);
  assert.deepEqual(shown, [folioOf(75), folioOf(77)]);
});

test('of an upload and a marketplace’s document of one folio, stored at one moment, its order gets it', async () => {
  const shop = await openShop();
  await shop.upload(aCfdi({ uuid: folioOf(62) }));
  const order = '2000000000000063';
  await shop.record([anOrder({ ...MELI, id: order })]);
  const xml = aCfdi({ uuid: folioOf(63) });
  const invoice = { id: 'F63', fileName: null, uuid: null, url: null, issuedAt: null };
  await shop.within.write((scope) =>
    recordInvoices(scope, { ...MELI, connectionId: newId() }, [
      { ...invoice, xml: Buffer.from(xml), orderIds: [order] },
    ]),
  );
  const isStored = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = shop.within.write(async (scope) => {
    await shop.recordIn(scope, xml);
    isStored.resolve();
    await mayEnd.promise;
  });
  await isStored.promise;
  const second = runHousekeeping(instance.app.exchange);
  await someoneWaits(instance.app.database);
  mayEnd.resolve();
  await Promise.all([first, second]);
  const [shown] = await shop.orders();
  assert.equal(shown?.cfdi.uuid, folioOf(63));
});

test('an order that is stored after the invoice that names it is found within hours', async () => {
  const shop = await openShop();
  const [early, late] = ['2000000000000070', '2000000000000071'] as const;
  const named = (order: string) => ({ total: '116.00', sku: order });
  const period = '<cfdi:InformacionGlobal Periodicidad="01" Meses="11" Año="2026"/>';
  await shop.upload(
    aCfdi({ ...named(early), uuid: folioOf(70) }),
    aCfdi({ ...named(late), uuid: folioOf(71), head: period }),
    aCfdi({ uuid: folioOf(72), sku: 'LAP-000001' }),
  );
  const looks = async () => {
    await runHousekeeping(instance.app.exchange);
    const linked = (await shop.orders()).filter(({ cfdi }) => cfdi.uuid !== null);
    const open = await shop.rows(
      'select 1 from cfdis where organization_id = $1 and look_at is not null',
    );
    return [linked.map(({ id }) => id), open.length];
  };
  await shop.record([anOrder({ id: early, total: decimal('116.00') })]);
  assert.deepEqual(await looks(), [[], 3], 'not before an hour');
  instance.clock.advance({ hours: 1 });
  assert.deepEqual(await looks(), [[early], 2]);
  await shop.record([anOrder({ id: late, total: decimal('116.00') })]);
  instance.clock.advance({ hours: 72 });
  assert.deepEqual(await looks(), [[early, late], 2], 'a global invoice names many orders');
  instance.clock.advance({ hours: 24 * 30 });
  assert.deepEqual(await looks(), [[early, late], 0], 'after a month no more');
});

/** Of another day of November. */
function aSubstitute(
  uuid: string,
  former: string,
  day: number,
  given: Partial<Parameters<typeof aCfdi>[0]> = {},
): string {
  const head = `<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="${former}"/></cfdi:CfdiRelacionados>`;
  return aCfdi({ uuid, head, ...given }).replace('2026-11-16T11', `2026-11-${day}T11`);
}

async function openShop() {
  const { organization } = await instance.tenant();
  const within = instance.app.database.within(organization.id);
  const { orderListeners, announce } = instance.app.exchange;
  const rows = (text: string) => query(instance, text.replaceAll('$1', `'${organization.id}'`));
  const recordIn = (scope: WriteScope, ...texts: string[]) => {
    const documents = texts.map((text) => readCfdi(Buffer.from(text)));
    return recordCfdis(scope, 'upload', documents, [...orderListeners, announce]);
  };
  return {
    within,
    rows,
    record: (orders: Order[]) => instance.record(orders, organization.id),
    profile: (rfcs: string[]) =>
      within.write((scope) => setFiscalProfile(scope, 'operator', { ...PROFILE, rfcs })),
    recordIn,
    upload: (...texts: string[]) => within.write((scope) => recordIn(scope, ...texts)),
    settle: (uuid: string, id: string, state: 'linked' | 'rejected') =>
      within.write((scope) =>
        decideLink(scope, uuid, { ...MELI, id }, state, [...orderListeners, announce]),
      ),
    /** All pages of so many documents. */
    async walked(filters: object, limit: number) {
      const cursors = cursorMaker(instance.app.exchange.keyring);
      const walked: CfdiDocument[] = [];
      for (let cursor: string | null = null, pages = 0; pages < 10; pages++) {
        const query = { ...NO_FILTER, ...filters, limit, cursor };
        const page: Awaited<ReturnType<typeof listCfdiDocuments>> = await within.read((scope) =>
          listCfdiDocuments(scope, cursors, query),
        );
        walked.push(...page.documents);
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      return walked;
    },
    /** The orders of each document. */
    async listed({ orderId }: { orderId: string | null }) {
      const documents = await this.walked({ orderId }, 10);
      return documents.map(({ orderIds }) => orderIds);
    },
    async orders() {
      const found = await rows(
        'select detail_json, last_updated from orders where organization_id = $1 order by id',
      );
      return found.map(({ detail_json, last_updated }) => ({
        ...JSON.parse(String(detail_json)),
        last_updated: String(last_updated),
      }));
    },
  };
}
