/** An account of a marketplace whose orders, movements and payouts a test writes. */
import type { TestContext } from 'node:test';
import type { Marketplace, MovementKind, SourceMovement } from '../../src/connectors/contract.ts';
import { recordSettlements } from '../../src/features/balances/index.ts';
import { setFiscalProfile } from '../../src/features/cfdi/index.ts';
import { type Finding, findProblems, listFindings } from '../../src/features/findings/index.ts';
import { recordLedgers } from '../../src/features/ledger/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import type { WriteScope } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { add, type Decimal, decimal, ZERO } from '../../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from './app.ts';
import { aPayout } from './settlement.ts';

/** Whose ledger it is. */
export const ACCOUNT = { marketplace: 'amazon' as Marketplace, accountId: 'A1' };
export const SALE = '232.00';
/** Of 200.00, the price without IVA. */
export const WITHHELD = { '2025': ['2.00', '16.00'], '2026': ['5.00', '16.00'] } as const;
/** The seller's. */
export const RFC = 'CACX7605101P8';

interface Sold {
  readonly on: string;
  /** Hours of UTC; usually 18, which is noon in Mexico City. */
  readonly hour?: number;
  /** The day of its movements; usually that of the order. */
  readonly movedOn?: string;
  /** Null = no movement says it; usually what is due. */
  readonly withheld?: readonly [isr: string, iva: string] | null;
  readonly fees?: number;
  readonly unpaid?: boolean;
  readonly refunded?: boolean;
  readonly feeKept?: boolean;
  /** What each commission is; usually `30.00`. */
  readonly fee?: string;
  /** The item that was sold; usually the same one. */
  readonly listing?: string;
  /** Of the order and its movements; usually `MXN`. */
  readonly currency?: string;
  readonly isStored?: boolean;
  readonly isTest?: boolean;
}

export async function openLedger(t: Pick<TestContext, 'after'>, account = ACCOUNT) {
  const instance: TestApp = await openApp(t);
  const inside = <T>(work: (scope: WriteScope) => Promise<T>): Promise<T> =>
    instance.app.database.within(instance.organization.id).write(work);
  await inside((scope) =>
    setFiscalProfile(scope, 'operator', {
      person: 'natural',
      regime: '625',
      hasBorderVat: false,
      rfcs: [RFC],
    }),
  );
  let number = 0;
  let unsettled: SourceMovement[] = [];
  const sums = new Map<string, Decimal>();
  const source = { ...account, connectionId: newId() };

  /** @returns the id of the order */
  async function sell(given: Sold): Promise<string> {
    const id = `702-${String(++number).padStart(7, '0')}`;
    const at = Temporal.Instant.from(
      `${given.on}T${String(given.hour ?? 18).padStart(2, '0')}:00:00Z`,
    );
    if (given.isStored !== false)
      await instance.record([
        anOrder({
          ...account,
          id,
          status: given.refunded ? 'refunded' : 'delivered',
          total: decimal(SALE),
          currency: given.currency ?? 'MXN',
          tags: given.isTest ? ['test_order'] : [],
          dateCreated: at,
          dateClosed: at,
          changedAt: at,
          fetchedAt: at,
          ...(given.listing && {
            items: anOrder().items.map((item) => ({ ...item, id: given.listing ?? null })),
          }),
        }),
      ]);
    const moved = given.movedOn ? Temporal.Instant.from(`${given.movedOn}T18:00:00Z`) : at;
    if (!given.unpaid) unsettled.push(...movementsOf(id, given, moved));
    return id;
  }

  /** Settles all movements so far. @param more than they come to */
  async function pay(id: string, on: string, more = '0'): Promise<void> {
    const moved = unsettled.map((movement) => ({ ...movement, payoutId: id }));
    unsettled = [];
    const net = add(sums.get(id) ?? ZERO, ...moved.map(({ amount }) => amount));
    sums.set(id, net);
    await move(moved);
    const payout = aPayout(id, add(net, decimal(more)), Temporal.Instant.from(`${on}T18:00:00Z`));
    await inside((scope) => recordSettlements(scope, source, [payout], { announce: false }));
  }

  const ledger = { id: 'L', report: 'transactions', covers: null, changedAt: null, opening: null };
  const move = (movements: readonly SourceMovement[]) =>
    inside((scope) => recordLedgers(scope, source, [{ ...ledger, movements }]));
  const find = () => inside((scope) => findProblems(scope, account, 'America/Mexico_City'));
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
  return { instance, inside, sell, pay, move, find, all };
}

/** The money of a sale, all of it final. */
export function movementsOf(id: string, given: Sold, at: Temporal.Instant): SourceMovement[] {
  const movement = (name: string, kind: MovementKind, amount: string): SourceMovement => ({
    ...{ kind, amount: decimal(amount), at, nativeType: kind },
    currency: given.currency ?? 'MXN',
    ...{ key: `${id} ${name}`, orderId: id, payoutId: null, isOpen: false },
  });
  const year = given.on.slice(0, 4) as keyof typeof WITHHELD;
  const [isr, iva] = given.withheld ?? WITHHELD[year];
  const taxes =
    given.withheld === null
      ? []
      : [movement('isr', 'isr', `-${isr}`), movement('iva', 'iva', `-${iva}`)];
  const { fee = '30.00' } = given;
  const fees = Array.from({ length: given.fees ?? 1 }, (_, index) =>
    movement(`fee ${index}`, 'commission', `-${fee}`),
  );
  const sold = [movement('sale', 'sale', SALE), ...fees, ...taxes];
  if (!given.refunded) return sold;
  const back = [movement('refund', 'refund', `-${SALE}`)];
  if (!given.feeKept) back.push(movement('fee back', 'commission', fee));
  return [...sold, ...back];
}

export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}
