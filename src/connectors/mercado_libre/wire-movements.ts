import { z } from 'zod';
import { add, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';
import { LONGEST_ID } from '../bounds.ts';
import type {
  CoveredTime,
  MovementKind,
  Read,
  SourceLedger,
  SourceMoney,
  SourceMovement,
  SourceSettlement,
} from '../contract.ts';
import { type AmountPart, wholeOf } from '../movements.ts';
import { nameIn, readEach } from '../read-rows.ts';
import type { TableRow } from '../table.ts';
import { amount, instant } from '../wire-fields.ts';
import {
  isOpening,
  isPayout,
  isSummary,
  oneEach,
  REPORT_CURRENCY,
  REPORT_PARTS,
  toPayout,
} from './wire-money.ts';

// The movements of Mercado Pago's release report: each row is split into the named columns.

const REPORT = 'release_report';
const word = z.string().default('');
/** Empty or missing where the seller's configuration leaves the column out. */
const part = z.preprocess((value) => (value === '' ? undefined : value), amount.optional());

const Row = z.object({
  DATE: instant,
  SOURCE_ID: word,
  EXTERNAL_REFERENCE: word,
  ORDER_ID: word,
  RECORD_TYPE: z.string().min(1),
  DESCRIPTION: word,
  NET_CREDIT_AMOUNT: amount,
  NET_DEBIT_AMOUNT: amount,
  GROSS_AMOUNT: part,
  MP_FEE_AMOUNT: part,
  FINANCING_FEE_AMOUNT: part,
  SHIPPING_FEE_AMOUNT: part,
  TAXES_AMOUNT: part,
  COUPON_AMOUNT: part,
});
type Row = z.infer<typeof Row>;

/**
 * What the gross amount of a row is, by the beginning of its description without marks; the first
 * one counts. Descriptions are misspelt in the wild (`tax_witholding`), and those that end in
 * `_cancel` have amounts of the opposite sign.
 */
const KINDS: readonly (readonly [beginning: string, kind: MovementKind])[] = [
  ['taxwithholdingisr', 'isr'],
  ['taxwithholdingiva', 'iva'],
  ['taxw', 'withheld'],
  ['taxpayment', 'withheld'],
  ['refund', 'refund'],
  ['partialrefund', 'refund'],
  ['chargeback', 'refund'],
  ['mediation', 'refund'],
  ['payment', 'sale'],
  ['withdrawal', 'payout'],
  ['payout', 'payout'],
  ['shipping', 'shipping_fee'],
  ['advertising', 'advertising'],
  ['fee', 'other_fee'],
];
/**
 * What the account paid or got beside its sales, by the beginning of the reference, which is then no
 * order.
 */
const KINDS_BY_REFERENCE: readonly (readonly [beginning: string, kind: MovementKind])[] = [
  ['PADS', 'advertising'],
  // Invoices of the marketplace.
  ['MELIPAYMENTS', 'other_fee'],
  // Given by customer service.
  ['CASHBACK', 'other'],
];
const RELEASED = 'release';
/** What the columns leave of the net amount. */
const REST = 'NET';

/**
 * The payouts of a report and all of its movements. Rows that cannot be read are set aside, and then
 * the report proves nothing about movements that it lacks.
 * @param covers the time of the report
 */
export function readReport(rows: readonly TableRow[], covers: CoveredTime): Read<SourceMoney>[] {
  const moving = rows.filter((row) => !isOpening(row) && !isSummary(row));
  const reads = readEach(moving, toMoving, (row) => nameIn(row, 'SOURCE_ID'));
  const unreadable = reads.filter((read) => !read.ok);
  const readable = reads.filter((read) => read.ok).map(({ item }) => item);
  // A later report knows more, also where it gives a row an earlier time.
  const payouts = oneEach(readable.flatMap(({ payout }) => payout ?? [])).map((payout) => ({
    ...payout,
    changedAt: covers.to,
  }));
  const ordinals = new Map<string, number>();
  const ledger: SourceLedger = {
    id: `${REPORT} ${formatMillis(covers.from)}`,
    report: REPORT,
    movements: readable.flatMap(({ row }) => movementsOf(row, ordinals)),
    covers: unreadable.length > 0 ? null : covers,
    changedAt: covers.to,
    opening: openingOf(rows, covers.from),
  };
  return [
    ...unreadable,
    ...[...payouts, ledger].map((item: SourceMoney) => ({ ok: true as const, item })),
  ];
}

function toMoving(reported: unknown): { row: Row; payout: SourceSettlement | null } {
  return {
    row: Row.parse(reported),
    payout: isPayout(reported as TableRow) ? toPayout(reported) : null,
  };
}

const Opening = z.object({ NET_CREDIT_AMOUNT: amount, NET_DEBIT_AMOUNT: amount });

function openingOf(rows: readonly TableRow[], at: Instant): SourceLedger['opening'] {
  const reported = Opening.safeParse(rows.find(isOpening)).data;
  if (!reported) return null;
  const sum = subtract(reported.NET_CREDIT_AMOUNT, reported.NET_DEBIT_AMOUNT);
  return { amount: sum, currency: REPORT_CURRENCY, at };
}

/** Each column that moves money, and what the columns leave open. */
function movementsOf(row: Row, ordinals: Map<string, number>): SourceMovement[] {
  const { RECORD_TYPE: type, DESCRIPTION: description, DATE: at, SOURCE_ID: source } = row;
  const kind = kindOf(row);
  const nativeType = type === RELEASED ? description : `${type}/${description}`;
  const orderId = orderIdOf(row);
  const name = `${source} ${type} ${description} ${formatMillis(at)}`;
  const ordinal = (ordinals.get(name) ?? 0) + 1;
  ordinals.set(name, ordinal);
  const movement = ({ name: column, ...part }: AmountPart): SourceMovement => ({
    ...part,
    key: `${name} ${ordinal} ${column}`,
    currency: REPORT_CURRENCY,
    at,
    nativeType: column === 'GROSS_AMOUNT' ? nativeType : `${nativeType}/${column}`,
    orderId,
    payoutId: kind === 'payout' ? source : null,
    isOpen: false,
  });
  const net = subtract(row.NET_CREDIT_AMOUNT, row.NET_DEBIT_AMOUNT);
  return wholeOf(net, partsOf(row, kind, net), REST).map(movement);
}

function partsOf(row: Row, kind: MovementKind, net: Decimal): AmountPart[] {
  const parts = REPORT_PARTS.map(({ column, kind: as }) => ({
    name: column,
    // A payout's fee is for the transfer.
    kind: kind === 'payout' && as === 'commission' ? ('other_fee' as const) : (as ?? kind),
    amount: row[column] ?? ZERO,
  }));
  if (row.GROSS_AMOUNT !== undefined)
    return [{ name: 'GROSS_AMOUNT', kind, amount: row.GROSS_AMOUNT }, ...parts];
  // Without the gross amount a sale and its fees are not separable.
  if (kind !== 'payout') return [];
  const paid = subtract(net, add(ZERO, ...parts.map(({ amount }) => amount)));
  return [{ name: REST, kind, amount: paid }, ...parts];
}

/** Sellers choose the references of sales outside of Mercado Libre: not all of them can be ids. */
function orderIdOf(row: Row): string | null {
  const named = row.ORDER_ID || row.EXTERNAL_REFERENCE;
  if (named.length > LONGEST_ID || kindByReference(row) !== null) return null;
  return named || null;
}

function kindOf(row: Row): MovementKind {
  if (row.RECORD_TYPE !== RELEASED) return 'other';
  const plain = row.DESCRIPTION.toLowerCase().replaceAll(/[^a-z]/g, '');
  const kind = KINDS.find(([beginning]) => plain.startsWith(beginning))?.[1] ?? 'other';
  // A payment that the account made.
  const isPaid = plain === 'payment' && compare(row.NET_DEBIT_AMOUNT, row.NET_CREDIT_AMOUNT) > 0;
  return kindByReference(row) ?? (isPaid ? 'other' : kind);
}

function kindByReference({ EXTERNAL_REFERENCE: reference }: Row): MovementKind | null {
  return KINDS_BY_REFERENCE.find(([beginning]) => reference.startsWith(beginning))?.[1] ?? null;
}
