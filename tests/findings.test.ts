import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MovementKind, SourceMovement, SourceSettlement } from '../src/connectors/contract.ts';
import { recordSettlements } from '../src/features/balances/index.ts';
import { setFiscalProfile } from '../src/features/cfdi/index.ts';
import {
  explainFinding,
  type Finding,
  findProblems,
  listFindings,
} from '../src/features/findings/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { cursorMaker } from '../src/platform/cursor.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { add, type Decimal, decimal, ZERO } from '../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';

// Findings: a month without faults has none, and each fault is found once.

const ACCOUNT = { marketplace: 'amazon', accountId: 'A1' } as const;
const SALE = '232.00';
/** Of 200.00, the price without IVA. */
const WITHHELD = { '2025': ['2.00', '16.00'], '2026': ['5.00', '16.00'] } as const;

test('a month without faults has no findings, by the rates of its own year', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  for (const start of ['2025-12-05', '2026-09-05']) {
    for (let day = 0; day < 20; day++) await sell({ on: dayAfter(start, day) });
    await pay(`P-${start}`, dayAfter(start, 25));
  }
  await sell({ on: '2026-09-06', refunded: true });
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
  await sell({ on: '2026-10-02' });
  await pay('P-2', '2026-10-10', '-0.01');
  expect('payout_unexplained', 'P-2', -0.01);
  assert.equal(faults.length, 20);

  assert.equal(await find(), 20);
  const found = (await all()).map(
    ({ kind, subject, amount }) => [kind, subject, Number(amount)] as const,
  );
  assert.deepEqual(found.toSorted(byText), faults.toSorted(byText));
  assert.equal(await find(), 0, 'a second run changes nothing');
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
    setFiscalProfile(scope, { person: null, regime: null, hasBorderVat: false, rfcs: [] }),
  );
  assert.equal(await find(), 3, 'all are resolved');
  assert.equal(await find(), 0);
});

// Arrangement

interface Sold {
  readonly on: string;
  readonly withheld?: readonly [isr: string, iva: string];
  readonly fees?: number;
  readonly unpaid?: boolean;
  readonly refunded?: boolean;
  readonly feeKept?: boolean;
  readonly isStored?: boolean;
}

async function openLedger(t: Parameters<typeof openApp>[0]) {
  const instance: TestApp = await openApp(t);
  const inside = <T>(work: (scope: WriteScope) => Promise<T>): Promise<T> =>
    instance.app.database.within(instance.organization.id).write(work);
  await inside((scope) =>
    setFiscalProfile(scope, {
      person: 'natural',
      regime: '625',
      hasBorderVat: false,
      rfcs: ['CACX7605101P8'],
    }),
  );
  let number = 0;
  let unsettled: SourceMovement[] = [];
  const sums = new Map<string, Decimal>();
  const connectionId = newId();

  /** @returns the id of the order */
  async function sell(given: Sold): Promise<string> {
    const id = `702-${String(++number).padStart(7, '0')}`;
    const at = Temporal.Instant.from(`${given.on}T18:00:00Z`);
    if (given.isStored !== false)
      await instance.record([
        anOrder({
          ...ACCOUNT,
          id,
          status: given.refunded ? 'refunded' : 'delivered',
          total: decimal(SALE),
          dateCreated: at,
          dateClosed: at,
          changedAt: at,
          fetchedAt: at,
        }),
      ]);
    if (!given.unpaid) unsettled.push(...movementsOf(id, given, at));
    return id;
  }

  /** Settles all movements so far. @param more than they come to */
  async function pay(id: string, on: string, more = '0'): Promise<void> {
    const moved = unsettled.map((movement) => ({ ...movement, payoutId: id }));
    unsettled = [];
    const net = add(sums.get(id) ?? ZERO, ...moved.map(({ amount }) => amount));
    sums.set(id, net);
    await inside(async (scope) => {
      const source = { ...ACCOUNT, connectionId };
      await recordLedgers(scope, source, [
        {
          id,
          report: 'transactions',
          movements: moved,
          covers: null,
          changedAt: null,
          opening: null,
        },
      ]);
      const total = add(net, decimal(more));
      await recordSettlements(scope, source, [
        { ...settlement(id, total), paidAt: Temporal.Instant.from(`${on}T18:00:00Z`) },
      ]);
    });
  }

  const find = () => inside((scope) => findProblems(scope, ACCOUNT, 'America/Mexico_City'));
  const all = async (state: Finding['state'] = 'open') =>
    (
      await inside((scope) =>
        listFindings(scope, cursorMaker(instance.app.exchange.keyring), {
          state,
          ...{ kind: null, marketplace: null },
          limit: 100,
          cursor: null,
        }),
      )
    ).findings;
  return { instance, inside, sell, pay, find, all };
}

function movementsOf(id: string, given: Sold, at: Temporal.Instant): SourceMovement[] {
  const movement = (name: string, kind: MovementKind, amount: string): SourceMovement => ({
    ...{ kind, amount: decimal(amount), currency: 'MXN', at, nativeType: kind },
    ...{ key: `${id} ${name}`, orderId: id, payoutId: null, isOpen: false },
  });
  const year = given.on.slice(0, 4) as keyof typeof WITHHELD;
  const [isr, iva] = given.withheld ?? WITHHELD[year];
  const fees = Array.from({ length: given.fees ?? 1 }, (_, index) =>
    movement(`fee ${index}`, 'commission', '-30.00'),
  );
  const sold = [
    movement('sale', 'sale', SALE),
    ...fees,
    movement('isr', 'isr', `-${isr}`),
    movement('iva', 'iva', `-${iva}`),
  ];
  if (!given.refunded) return sold;
  const back = [movement('refund', 'refund', `-${SALE}`)];
  if (!given.feeKept) back.push(movement('fee back', 'commission', '30.00'));
  return [...sold, ...back];
}

function settlement(id: string, net: Decimal): SourceSettlement {
  return {
    id,
    net,
    status: 'paid',
    marketplaceStatus: 'PAID',
    currency: 'MXN',
    gross: null,
    fees: null,
    from: null,
    to: null,
    paidAt: null,
    reference: null,
    changedAt: null,
    raw: '{}',
  };
}

function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
