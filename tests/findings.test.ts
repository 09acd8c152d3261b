import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MovementKind, SourceMovement } from '../src/connectors/contract.ts';
import { setFiscalProfile } from '../src/features/cfdi/index.ts';
import { explainFinding, type Finding, findProblems } from '../src/features/findings/index.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder } from './support/app.ts';
import { ACCOUNT, dayAfter, movementsOf, openLedger, SALE, WITHHELD } from './support/findings.ts';

// Findings: a month without faults has none, and each fault is found once.

test('a month without faults has no findings, by the rates of its own year', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  for (const start of ['2025-12-05', '2026-09-05']) {
    for (let day = 0; day < 20; day++) await sell({ on: dayAfter(start, day) });
    await pay(`P-${start}`, dayAfter(start, 25));
  }
  await sell({ on: '2026-09-06', refunded: true });
  await sell({ on: '2026-09-07', unpaid: true, isTest: true });
  await pay('P-rest', '2026-10-01');

  assert.equal(await find(), 0);
  assert.deepEqual(await all(), []);
});

test('each of twenty faults is found with its amount, none twice, and nothing else', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  const start = '2026-09-05';
  for (let day = 0; day < 20; day++)
    await sell({ on: dayAfter(start, day), refunded: day % 5 === 0 });
  const faults: [Finding['kind'], string, number][] = [];
  const expect = (kind: Finding['kind'], subject: string, amount: number) =>
    faults.push([kind, subject, amount]);
  for (let count = 0; count < 3; count++) {
    expect('order_unpaid', await sell({ on: '2026-09-10', unpaid: true }), 232);
    expect('fee_charged_twice', await sell({ on: '2026-09-11', fees: 2 }), 30);
    expect('fee_charged_twice', await sell({ on: '2026-09-11', fees: 3 }), 60);
    const wrongRate = await sell({ on: '2026-09-12', withheld: WITHHELD['2025'] });
    expect('withheld_differs', wrongRate, -3);
    const lost = await sell({ on: '2026-09-13', refunded: true, feeKept: true });
    expect('fee_kept_on_refund', lost, 30);
    const unknown = await sell({ on: '2026-10-06', isStored: false });
    expect('movement_without_order', `transactions ${unknown} sale`, 232);
  }
  await pay('P-1', '2026-10-01', '25.50');
  expect('payout_unexplained', 'P-1', 25.5);
  await sell({ on: '2026-10-12' });
  await pay('P-2', '2026-10-14', '-0.01');
  expect('payout_unexplained', 'P-2', -0.01);
  assert.equal(faults.length, 20);

  assert.equal(await find(), 20);
  const found = (await all()).map(
    ({ kind, subject, amount }) => [kind, subject, Number(amount)] as const,
  );
  assert.deepEqual(found.toSorted(byText), faults.toSorted(byText));
  assert.equal(await find(), 0, 'a second run changes nothing');
});

test('the last evening of a month is of that month where the organisation is', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  await sell({ on: '2026-10-10' });
  // Eight in the evening of 31 October in Mexico City.
  const late = await sell({ on: '2026-11-01', hour: 2, withheld: null });
  await pay('P-1', '2026-11-05');
  await find();
  assert.deepEqual(
    (await all()).map(({ kind, subject }) => [kind, subject]),
    [['withheld_differs', late]],
  );
});

test('money that comes after the rate changed may be withheld by the rate of its order', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  const late = { on: '2025-12-30', movedOn: '2026-01-05' };
  await sell({ ...late, withheld: WITHHELD['2025'] });
  await sell({ ...late, withheld: WITHHELD['2026'] });
  const neither = await sell({ ...late, withheld: ['3.00', '16.00'] });
  const former = await sell({ on: '2026-01-02', withheld: WITHHELD['2025'] });
  await pay('P-1', '2026-01-06');
  await find();
  const found = (await all()).map(({ kind, subject, ...one }) => [
    ...[kind, subject, Number(one.amount), Number(one.expected)],
  ]);
  assert.deepEqual(found.sort(), [
    ['withheld_differs', neither, 1, 18],
    ['withheld_differs', former, -3, 21],
  ]);
});

for (const zone of [
  'America/Mexico_City',
  'America/Tijuana',
  'America/Hermosillo',
  'America/Cancun',
])
  test(`the year of a rate begins by the clock of Mexico City, too, for a seller in ${zone}`, async (t) => {
    const { inside, sell, pay, all } = await openLedger(t);
    // The last hour of the year in Mexico City, and the first one.
    const [last, first] = [
      { on: '2026-01-01', hour: 5 },
      { on: '2026-01-01', hour: 6 },
    ];
    await sell({ ...last, withheld: WITHHELD['2025'] });
    await sell({ ...first, withheld: WITHHELD['2026'] });
    const early = await sell({ on: '2025-12-31', withheld: WITHHELD['2026'] });
    const late = await sell({ on: '2026-01-01', hour: 9, withheld: WITHHELD['2025'] });
    await pay('P-1', '2026-01-10');
    await inside((scope) => findProblems(scope, ACCOUNT, zone));
    assert.deepEqual((await all()).map(({ subject }) => subject).sort(), [early, late]);
  });

test('fees of one order that were charged twice in two currencies are one finding', async (t) => {
  const { find, sell, pay, move, all } = await openLedger(t);
  const order = await sell({ on: '2026-09-05', fees: 2 });
  await pay('P-1', '2026-10-01');
  const movements = ['x', 'y'].map((key) => ({
    ...{ key, kind: 'commission' as const, amount: decimal('-2.00'), currency: 'USD' },
    ...{ at: Temporal.Instant.from('2026-09-05T18:00:00Z'), nativeType: 'other', orderId: order },
    ...{ payoutId: null, isOpen: false },
  }));
  await move(movements);
  await find();
  assert.deepEqual(
    (await all()).map(({ kind, subject, currency, amount }) => [kind, subject, currency, amount]),
    [['fee_charged_twice', order, 'MXN', '30.00']],
  );
});

test('two equal guides of one order are two parcels, and no fee that is charged twice', async (t) => {
  const { find, sell, pay, move, all } = await openLedger(t);
  const order = await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-10-01');
  const guides = ['guide 1', 'guide 2'].map((key) => ({
    ...{ key, kind: 'shipping_fee' as const, amount: decimal('-99.00'), currency: 'MXN' },
    ...{ at: Temporal.Instant.from('2026-09-05T18:00:00Z'), nativeType: 'guide', orderId: order },
    ...{ payoutId: 'P-1', isOpen: false },
  }));
  await move(guides);
  await find();
  const kinds = (await all()).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['payout_unexplained'], 'the payout was told without them');
});

test('of goods at 0 % IVA only ISR is withheld', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  await sell({ on: '2026-09-05', withheld: ['5.80', '0.00'] });
  const wrong = await sell({ on: '2026-09-06', withheld: ['5.00', '0.00'] });
  await sell({ on: '2026-09-07' });
  await pay('P-1', '2026-10-01');
  await find();
  assert.deepEqual(
    (await all()).map(({ kind, subject, amount }) => [kind, subject, Number(amount)]),
    [['withheld_differs', wrong, -16]],
  );
});

test("an order of the seller's own shop may be paid outside of the shop's ledger", async (t) => {
  const shop = { marketplace: 'shopify', accountId: 'tienda.example' } as const;
  const { find, sell, pay, all } = await openLedger(t, shop);
  await sell({ on: '2026-09-05', withheld: null });
  await sell({ on: '2026-09-10', unpaid: true });
  await sell({ on: '2026-10-20', withheld: null });
  await pay('P-1', '2026-10-25');
  await find();
  assert.deepEqual(await all(), [], 'a transfer is not in the ledger of Shopify Payments');
});

test('taxes of a sale that was held back are compared after its release', async (t) => {
  const { find, sell, pay, move, all } = await openLedger(t);
  await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-09-08');
  const order = await sell({ on: '2026-09-06', unpaid: true });
  const moved = (on: string, isOpen: boolean) => {
    const own = movementsOf(order, { on, withheld: WITHHELD['2025'] }, noonOf(on));
    return own.map((movement) => ({ ...movement, isOpen }));
  };
  await move(moved('2026-09-06', true));
  await find();
  assert.deepEqual(await all(), [], 'it may still change');

  await move(moved('2026-09-16', false));
  await find();
  assert.deepEqual(
    (await all()).map(({ kind, subject, amount }) => [kind, subject, Number(amount)]),
    [['withheld_differs', order, -3]],
  );
});

test('a fee that was given back is charged twice no more, unless its order was refunded', async (t) => {
  const { find, sell, pay, move, all } = await openLedger(t);
  const twice = await sell({ on: '2026-09-05', fees: 2 });
  const refunded = await sell({ on: '2026-09-06', fees: 2, refunded: true });
  await pay('P-1', '2026-10-01');
  await find();
  const found = async () => (await all()).map(({ kind, subject }) => [kind, subject]).toSorted();
  assert.deepEqual(await found(), [
    ['fee_charged_twice', twice],
    ['fee_charged_twice', refunded],
  ]);

  const [, fee] = movementsOf(twice, { on: '2026-10-02' }, noonOf('2026-10-02'));
  assert.ok(fee);
  const back = { amount: decimal('30.00'), nativeType: 'fee_cancel', key: `${twice} back` };
  await move([{ ...fee, ...back }]);
  assert.equal(await find(), 1);
  assert.deepEqual(await found(), [['fee_charged_twice', refunded]]);
});

test('the fee of a chargeback that was lost and then won is charged once', async (t) => {
  const { sell, pay, move, find, all } = await openLedger(t);
  const [won, twice] = [await sell({ on: '2026-11-02' }), await sell({ on: '2026-11-02' })];
  await pay('P-1', '2026-11-08');
  const moved = (order: string, name: string, kind: MovementKind, amount: string, day: number) => ({
    ...{ key: `${order} ${name}`, kind, amount: decimal(amount), nativeType: kind },
    ...{ at: Temporal.Instant.from(`2026-11-${day}T18:00:00Z`), currency: 'MXN', orderId: order },
    ...{ payoutId: 'P-2', isOpen: false },
  });
  const lose = (order: string) => [
    moved(order, 'lost', 'refund', `-${SALE}`, 10),
    moved(order, 'lost fee', 'commission', '30.00', 10),
  ];
  const win = (order: string) => [
    moved(order, 'won', 'refund', SALE, 20),
    moved(order, 'won fee', 'commission', '-30.00', 20),
  ];
  await move([...lose(won), ...win(won), ...lose(twice), ...win(twice)]);
  await move([moved(twice, 'again', 'commission', '-30.00', 21)]);
  await find();
  const found = (await all()).map(({ kind, subject, amount }) => [kind, subject, amount]);
  assert.deepEqual(found, [['fee_charged_twice', twice, '30.00']]);
});

test('an order that changes again is unpaid since it was delivered', async (t) => {
  const { instance, find, sell, pay, all } = await openLedger(t);
  await sell({ on: '2026-09-05' });
  const order = await sell({ on: '2026-09-10', unpaid: true });
  const early = await sell({ on: '2026-10-02', unpaid: true });
  await sell({ on: '2026-10-20' });
  await pay('P-1', '2026-10-25');
  await find();
  const found = async () => (await all()).map(({ subject, since }) => [subject, since.toString()]);
  assert.deepEqual(await found(), [[order, '2026-09-10T18:00:00Z']], `${early} may be paid yet`);

  const { body } = await instance.api(`/v1/orders/${order}`, {});
  const [at, later] = [noonOf('2026-09-10'), noonOf('2026-11-14')];
  const touched = { id: order, status: 'delivered', total: decimal(body.data.total) } as const;
  const times = { dateCreated: at, dateClosed: at, changedAt: later, fetchedAt: later };
  await instance.record([anOrder({ ...ACCOUNT, ...touched, ...times })]);
  assert.equal(await find(), 0);
  assert.deepEqual(await found(), [[order, '2026-09-10T18:00:00Z']]);
});

test('time that passes changes no finding', { tags: ['slow'] }, async (t) => {
  const { instance, find, sell, pay, move, all } = await openLedger(t);
  for (let turn = 0; turn < 6; turn++) await sell({ on: dayAfter('2026-08-10', 10 * turn) });
  await sell({ on: '2026-10-10', fee: '45.50' });
  await sell({ on: '2026-09-20', refunded: true });
  const late = await sell({ on: '2026-08-12', unpaid: true });
  await pay('P-1', '2026-10-15');
  const given = { on: '2026-08-12', refunded: true, feeKept: true };
  const moved = movementsOf(late, given, noonOf('2026-08-12'));
  const refundedAt = noonOf('2026-10-12');
  const refund = (kind: string) => kind === 'refund' && { at: refundedAt };
  await move(moved.map((one) => ({ ...one, ...refund(one.kind) })));
  const again = movementsOf(late, given, noonOf('2026-10-11'));
  await move(again.filter(({ kind }) => kind === 'commission').map((one) => renamed(one)));

  await find();
  const kinds = (await all()).map(({ kind }) => kind).toSorted();
  assert.deepEqual(kinds, ['fee_charged_twice', 'fee_kept_on_refund', 'fee_unusual']);
  const before = await all();
  for (let weeks = 0; weeks < 64; weeks++) {
    instance.clock.advance({ hours: 24 * 7 });
    assert.equal(await find(), 0, `after ${weeks + 1} weeks`);
  }
  assert.deepEqual(await all(), before);
});

test('a finding that a person explained stays so until its amount changes, and ends when it is not so', async (t) => {
  const { instance, find, sell, pay, all, inside } = await openLedger(t);
  for (let day = 0; day < 5; day++) await sell({ on: dayAfter('2026-09-05', day) });
  await pay('P-1', '2026-10-01', '25.50');
  await find();
  const [finding] = await all();
  const id = finding?.id as string;

  const explained = await inside((scope) => explainFinding(scope, id, '  Ajuste de septiembre '));
  assert.deepEqual([explained.state, explained.note], ['explained', 'Ajuste de septiembre']);
  assert.equal(await find(), 0);
  await pay('P-1', '2026-10-01', '30.00');
  assert.equal(await find(), 1);
  const [open] = await all();
  assert.deepEqual([open?.id, open?.state, Number(open?.amount)], [id, 'open', 30]);

  await pay('P-1', '2026-10-01');
  assert.equal(await find(), 1);
  assert.deepEqual(await all(), []);
  assert.equal((await all('resolved'))[0]?.id, id);
  await assert.rejects(
    inside((scope) => explainFinding(scope, id, 'tarde')),
    { code: 'not_found' },
  );
  const other = await instance.another();
  await assert.rejects(
    other.app.database
      .within(other.organization.id)
      .write((scope) => explainFinding(scope, id, 'ajeno')),
    { code: 'not_found' },
  );
});

test('without a fiscal profile no withheld tax is a finding', async (t) => {
  const { find, sell, pay, inside } = await openLedger(t);
  for (let day = 0; day < 3; day++)
    await sell({ on: dayAfter('2026-09-05', day), withheld: WITHHELD['2025'] });
  await pay('P-1', '2026-10-01');
  assert.equal(await find(), 3);
  await inside((scope) =>
    setFiscalProfile(scope, 'operator', {
      person: null,
      regime: null,
      hasBorderVat: false,
      rfcs: [],
    }),
  );
  assert.equal(await find(), 3, 'all are resolved');
  assert.equal(await find(), 0);
});

function noonOf(day: string) {
  return Temporal.Instant.from(`${day}T18:00:00Z`);
}

function renamed(movement: SourceMovement): SourceMovement {
  return { ...movement, key: `${movement.key} again` };
}

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
