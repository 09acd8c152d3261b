import { z } from 'zod';
import { sha256 } from '../../platform/ids.ts';
import { add, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { MovementKind, Read, SourceMoney, SourceMovement } from '../contract.ts';
import { type AmountPart, wholeOf } from '../movements.ts';
import { nameIn, readEach } from '../read-rows.ts';
import { id, instant, optional, looseText as text } from '../wire-fields.ts';
import { Currency, isWrapped, Related, related } from './wire-finances.ts';

// Transactions of Finances, split by their breakdowns, which are trees of charges and fees.

const REPORT = 'finances_transactions';

interface Breakdown {
  readonly breakdownType: string | null;
  readonly breakdownAmount: z.infer<typeof Currency> | null;
  readonly breakdowns: readonly Breakdown[] | null;
}
const Breakdown: z.ZodType<Breakdown> = z.object({
  breakdownType: text,
  breakdownAmount: optional(Currency),
  get breakdowns() {
    return Breakdowns;
  },
});
const Breakdowns: z.ZodType<readonly Breakdown[] | null> = z.preprocess(
  (value) => (isWrapped(value) ? value.breakdowns : value),
  optional(z.array(Breakdown)),
);

const Transaction = z.object({
  transactionId: optional(id),
  transactionType: z.string().min(1),
  transactionStatus: text,
  relatedIdentifiers: Related,
  postedDate: instant,
  totalAmount: Currency,
  breakdowns: Breakdowns,
  items: optional(z.array(z.object({ breakdowns: Breakdowns }))),
});
type Transaction = z.infer<typeof Transaction>;

/** By the type of the transaction, for what is neither a fee nor a tax withheld. */
const KINDS: Readonly<Record<string, MovementKind>> = {
  Shipment: 'sale',
  Refund: 'refund',
  GuaranteeClaim: 'refund',
  Chargeback: 'refund',
  ServiceFee: 'other_fee',
  ShippingServices: 'shipping_fee',
  ProductAdsPayment: 'advertising',
  Transfer: 'payout',
  Disbursement: 'payout',
};

/**
 * The kind of a part, by the names on its way through the tree: that of the first row of which all
 * are found. No document lists the names completely; those of withheld taxes with `Facilitator` and
 * `LowValueGoodsTax` are from `ChargeComponent` of Finances v0 and from settlement reports
 * (`ItemWithheldTax`).
 */
const PARTS: readonly (readonly [names: readonly RegExp[], kind: MovementKind])[] = [
  [[/withh/i, /isr|income/i], 'isr'],
  [[/withh/i, /iva|vat/i], 'iva'],
  [[/FacilitatorVAT/i], 'iva'],
  [[/withh|FacilitatorTax|LowValueGoodsTax/i], 'withheld'],
  [[/advertis|sponsored/i], 'advertising'],
  [[/commission|referral/i], 'commission'],
  [[/fba|fulfil|label|postage/i], 'shipping_fee'],
  [[/shipping/i, /fee|chargeback/i], 'shipping_fee'],
  [[/fee|expense/i], 'other_fee'],
];

/** The money is listed again when it is released, by a transaction of its own. */
const LISTED_AGAIN = 'DEFERRED_RELEASED';
const HELD_BACK = 'DEFERRED';

/**
 * A page of transactions. Money that is held back and its release are one movement, known by the
 * id of the first transaction. Rows that cannot be read are set aside.
 */
export function readTransactions(rows: readonly unknown[]): Read<SourceMoney>[] {
  const reads = readEach(
    rows,
    (row) => Transaction.parse(row),
    (row) => nameIn(row, 'transactionId'),
  );
  const readable = reads.filter((read) => read.ok).map(({ item }) => item);
  const ledger = {
    id: `${REPORT} ${readable[0] ? idOf(readable[0]) : ''}`,
    report: REPORT,
    movements: readable.filter((row) => statusOf(row) !== LISTED_AGAIN).flatMap(toMovements),
    covers: null,
    changedAt: latest(...readable.map(({ postedDate }) => postedDate)),
    opening: null,
  };
  return [...reads.filter((read) => !read.ok), { ok: true, item: ledger }];
}

/** One movement for each kind: a release may name its parts otherwise than what it releases. */
function toMovements(row: Transaction): SourceMovement[] {
  const { transactionType: type, totalAmount, postedDate: at } = row;
  const first = related(row, 'DEFERRED_TRANSACTION_ID') ?? idOf(row);
  const isOpen = statusOf(row) === HELD_BACK;
  const parts = partsOf(row);
  const unsplit = { name: 'total', kind: wholeKindOf(type), amount: totalAmount.currencyAmount };
  const whole = wholeOf(totalAmount.currencyAmount, parts.length > 0 ? parts : [unsplit], 'total');
  return [...Map.groupBy(whole, ({ kind }) => kind)].map(([kind, ofKind]) => ({
    kind,
    amount: add(...ofKind.map(({ amount }) => amount)),
    key: `${first} ${kind}`,
    currency: totalAmount.currencyCode,
    at,
    nativeType: `${type}/${ofKind.map(({ name }) => name.split('/').at(-1)).join('+')}`,
    orderId: related(row, 'ORDER_ID'),
    payoutId: isOpen
      ? null
      : (related(row, 'SETTLEMENT_ID') ?? related(row, 'FINANCIAL_EVENT_GROUP_ID')),
    isOpen,
  }));
}

/** The documents make the id optional: without it the facts of a transaction are its name. */
function idOf(row: Transaction): string {
  if (row.transactionId !== null) return row.transactionId;
  const { transactionType, relatedIdentifiers, postedDate, totalAmount } = row;
  const facts = [transactionType, relatedIdentifiers, postedDate.toString(), totalAmount];
  return `sin-id-${sha256(JSON.stringify(facts)).slice(0, 32)}`;
}

function wholeKindOf(type: string): MovementKind {
  const kind = inTable(KINDS, type) ?? 'other';
  // A sale or refund that is not split has fees inside.
  return kind === 'sale' || kind === 'refund' ? 'other' : kind;
}

function statusOf({ transactionStatus }: Transaction): string {
  return (transactionStatus ?? '').toUpperCase();
}

/** Some transactions give their parts as a whole, others by item; parts of one name are added. */
function partsOf({ transactionType, breakdowns, items }: Transaction): AmountPart[] {
  const whole = breakdowns ?? [];
  const given = whole.length > 0 ? whole : (items ?? []).flatMap((item) => item.breakdowns ?? []);
  const sums = new Map<string, Decimal>();
  for (const { name, amount } of given.flatMap((part) => leavesOf(part, [])))
    sums.set(name, add(sums.get(name) ?? ZERO, amount));
  return [...sums].map(([name, amount]) => ({ name, kind: kindOf(name, transactionType), amount }));
}

/** The ends of a tree, and what they leave of a node. */
function leavesOf(
  { breakdownType, breakdownAmount, breakdowns }: Breakdown,
  above: readonly string[],
): { name: string; amount: Decimal }[] {
  const path = [...above, breakdownType ?? ''];
  const inner = (breakdowns ?? []).flatMap((part) => leavesOf(part, path));
  const given = breakdownAmount?.currencyAmount;
  if (given === undefined) return inner;
  const rest = subtract(given, add(ZERO, ...inner.map(({ amount }) => amount)));
  return [...inner, { name: path.join('/'), amount: rest }];
}

function kindOf(name: string, type: string): MovementKind {
  const found = PARTS.find(([patterns]) => patterns.every((one) => one.test(name)))?.[1];
  if (found) return found;
  const kind = inTable(KINDS, type) ?? 'other';
  return kind === 'sale' && /shipping/i.test(name) ? 'shipping' : kind;
}
