/** A month of a seller at ten marketplaces, as they would report it; amounts in cents. */
import type { TestContext } from 'node:test';
import {
  MARKETPLACES,
  type Marketplace,
  type MovementKind,
  type SourceMovement,
} from '../../src/connectors/contract.ts';
import { findConnector } from '../../src/connectors/registry.ts';
import { recordSettlements } from '../../src/features/balances/index.ts';
import { setFiscalProfile } from '../../src/features/cfdi/index.ts';
import { annotateOrders, recordLedgers } from '../../src/features/ledger/index.ts';
import type { Order } from '../../src/features/orders/index.ts';
import type { WriteScope } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from './app.ts';
import { aPayout } from './settlement.ts';

export const ZONE = 'America/Mexico_City';
export const REPORT = 'month';
/** Noon of the first day. */
const FIRST = Temporal.ZonedDateTime.from(`2026-10-01T12:00[${ZONE}]`);
const DAYS = 28;
/** The last week is not paid out yet. */
const WEEKS_PAID = 3;
/** What a payout that draws on a balance leaves in it. */
const LEFT = 12_345;
const BATCH = 1_000;

export interface Account {
  readonly marketplace: Marketplace;
  readonly accountId: string;
}

const ALL = MARKETPLACES.map((marketplace) => ({ marketplace, accountId: `${marketplace}-1` }));
/** Of marketplaces that offer payouts; the others have orders alone. */
export const WITH_LEDGER = ALL.filter(({ marketplace }) => findConnector(marketplace)?.settlements);

type Moved = SourceMovement & { readonly cents: number };

interface Payout {
  readonly id: string;
  readonly net: number;
  readonly at: Temporal.Instant;
}

/** What the marketplaces report. */
export interface Month {
  readonly instance: TestApp;
  readonly connectionId: string;
  readonly orders: readonly Order[];
  readonly moved: ReadonlyMap<Marketplace, readonly Moved[]>;
  readonly payouts: ReadonlyMap<Marketplace, readonly Payout[]>;
}

/** Makes the month and records it; some commissions are reported otherwise first, and corrected. */
export async function openMonth(t: Pick<TestContext, 'after'>, count: number): Promise<Month> {
  const sales = Array.from({ length: count }, (_, number) => saleOf(number));
  const moved = new Map<Marketplace, Moved[]>();
  const payouts = new Map<Marketplace, Payout[]>();
  for (const account of WITH_LEDGER) {
    const own = sales.filter(({ order }) => order.marketplace === account.marketplace);
    const rows = own.flatMap(({ movements }) => movements);
    const paid = paidOut(account, rows);
    payouts.set(account.marketplace, paid.payouts);
    moved.set(account.marketplace, [...rows, ...paid.rows]);
  }
  const instance = await openApp(t);
  const orders = sales.map(({ order }) => order);
  const month = { instance, connectionId: newId(), orders, moved, payouts };
  await inside(month, (scope) =>
    setFiscalProfile(scope, 'operator', {
      ...{ person: 'natural', regime: '625', hasBorderVat: false, rfcs: ['CACX7605101P8'] },
    }),
  );
  for (let from = 0; from < count; from += BATCH)
    await instance.record(orders.slice(from, from + BATCH));
  for (const account of WITH_LEDGER) await report(month, account);
  while ((await inside(month, (scope) => annotateOrders(scope, () => [], BATCH))) > 0);
  return month;
}

export function inside<T>(
  { instance }: Pick<Month, 'instance'>,
  work: (scope: WriteScope) => Promise<T>,
): Promise<T> {
  return instance.app.database.within(instance.organization.id).write(work);
}

export function record(month: Month, account: Account, movements: readonly SourceMovement[]) {
  const source = { ...account, connectionId: month.connectionId };
  const whole = { id: REPORT, report: REPORT, covers: null, changedAt: null, opening: null };
  return inside(month, (scope) => recordLedgers(scope, source, [{ ...whole, movements }]));
}

export function recordPayouts(month: Month, account: Account, payouts: readonly Payout[]) {
  const source = { ...account, connectionId: month.connectionId };
  const rows = payouts.map(({ id, net, at }) => aPayout(id, textOf(net), at));
  return inside(month, (scope) => recordSettlements(scope, source, rows, { announce: false }));
}

async function report(month: Month, account: Account): Promise<void> {
  const rows = month.moved.get(account.marketplace) ?? [];
  const wrong = rows.filter(({ kind }, at) => kind === 'commission' && at % 10 === 0);
  await record(
    month,
    account,
    wrong.map((row) => ({ ...row, amount: decimal(textOf(row.cents - 100)) })),
  );
  for (let from = 0; from < rows.length; from += BATCH)
    await record(month, account, rows.slice(from, from + BATCH));
  await recordPayouts(month, account, month.payouts.get(account.marketplace) ?? []);
}

/** Every twentieth sale is refunded; some have a shipping fee, and some days an advertisement. */
function saleOf(number: number): { order: Order; movements: Moved[] } {
  const account = ALL[number % ALL.length] as Account;
  const turn = Math.floor(number / ALL.length);
  const at = FIRST.add({ days: turn % DAYS, seconds: number }).toInstant();
  const id = `M-${String(number).padStart(6, '0')}`;
  const total = 10_000 + ((number * 7_919) % 190_000);
  const isRefunded = turn % 20 === 7;
  const of = (parts: readonly Part[], name: string) =>
    parts.map(([kind, cents]) => movement(account, { id, kind, cents, name, at }));
  const movements = of(partsOf(total), '');
  if (turn % 3 === 0) movements.push(...of([['shipping_fee', -1_500]], ''));
  if (isRefunded) {
    const [, ...kept] = partsOf(total);
    const back = kept.map(([kind, cents]): Part => [kind, -cents]);
    movements.push(...of([['refund', -total], ...back], 'back'));
  }
  if (turn % 9 === 4)
    movements.push(
      movement(account, { id: null, kind: 'advertising', cents: -25_000, name: id, at }),
    );
  return {
    order: orderOf(account, id, total, at, isRefunded ? 'refunded' : 'delivered'),
    movements,
  };
}

/** The payouts of an account, with the rows that a ledger has for them. */
function paidOut(account: Account, movements: readonly Moved[]) {
  const rows: Moved[] = [];
  let balance = 0;
  const payouts = Array.from({ length: WEEKS_PAID }, (_, week) => {
    const at = FIRST.add({ days: 7 * (week + 1) })
      .subtract({ hours: 6 })
      .toInstant();
    const id = `P-${week}`;
    const own = movements.filter((one) => weekOf(one.at) === week);
    balance += own.reduce((sum, { cents }) => sum + cents, 0);
    const net = drawsOnBalance(account) ? balance - LEFT : balance;
    balance -= net;
    if (drawsOnBalance(account)) {
      const given = { id: null, kind: 'payout', cents: -net, name: id, at } as const;
      rows.push({ ...movement(account, given), payoutId: id });
    }
    return { id, net, at };
  });
  return { payouts, rows };
}

export type Part = readonly [kind: MovementKind, cents: number];

/** A commission of 13 %, and the taxes of 2026 on the price without IVA. */
export function partsOf(total: number): Part[] {
  const base = total / 1.16;
  return [
    ['sale', total],
    ['commission', -Math.round(total * 0.13)],
    ['isr', -Math.round(base * 0.025)],
    ['iva', -Math.round(base * 0.08)],
  ];
}

interface MovementGiven {
  /** Null = of no order. */
  readonly id: string | null;
  readonly kind: MovementKind;
  readonly cents: number;
  readonly name: string;
  readonly at: Temporal.Instant;
}

export function movement(account: Account, { id, kind, cents, name, at }: MovementGiven): Moved {
  const isPaid = weekOf(at) < WEEKS_PAID;
  return {
    ...{ kind, cents, amount: decimal(textOf(cents)), currency: 'MXN', at, nativeType: kind },
    key: [id ?? '', kind, name].filter((part) => part !== '').join(' '),
    orderId: id,
    payoutId: isPaid && !drawsOnBalance(account) ? `P-${weekOf(at)}` : null,
    isOpen: !isPaid && !drawsOnBalance(account),
  };
}

export function orderOf(
  account: Account,
  id: string,
  total: number,
  at: Temporal.Instant,
  status: 'delivered' | 'refunded',
): Order {
  const times = { dateCreated: at, dateClosed: at, changedAt: at, fetchedAt: at };
  return anOrder({ ...account, id, status, total: decimal(textOf(total)), ...times });
}

/** Net, fees and taxes withheld by order; an order without movements is left out. */
export function moneyByOrder({ moved }: Month): ReadonlyMap<string, readonly number[]> {
  const rows = [...moved.values()].flat().filter(({ orderId }) => orderId !== null);
  const byOrder = Map.groupBy(rows, ({ orderId }) => String(orderId));
  return new Map(
    [...byOrder].map(([id, own]) => {
      const of = (kinds: readonly MovementKind[]) =>
        own.reduce((sum, { kind, cents }) => (kinds.includes(kind) ? sum - cents : sum), 0);
      const net = own.reduce((sum, { cents }) => sum + cents, 0);
      return [id, [net, of(['commission', 'shipping_fee']), of(['isr', 'iva'])]];
    }),
  );
}

function drawsOnBalance({ marketplace }: Account): boolean {
  return findConnector(marketplace)?.facts.payoutsDrawOnBalance ?? false;
}

function weekOf(at: Temporal.Instant): number {
  const day = at.toZonedDateTimeISO(ZONE).toPlainDate();
  return Math.floor(FIRST.toPlainDate().until(day).days / 7);
}

/** `-1.05` of -105. */
export function textOf(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function centsOf(amount: string): number {
  return Math.round(Number(amount) * 100);
}
