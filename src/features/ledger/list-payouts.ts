import { MARKETPLACES, MOVEMENT_KINDS } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Members, membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, word } from '../../platform/fields.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { listSettlements, SETTLEMENT, type Settlement } from '../balances/index.ts';
import { explainPayout } from './explain-payout.ts';
import * as store from './store-payouts.ts';

/** A payout, and how far its movements explain it; null = the ledger does not have them. */
interface ExplainedPayout extends Settlement {
  readonly carried: Decimal | null;
  readonly left: Decimal | null;
  readonly difference: Decimal | null;
}

const payout = membersOf<ExplainedPayout>();
export const EXPLAINED_PAYOUT: Members<ExplainedPayout> = {
  ...SETTLEMENT,
  carried: payout.full(
    'carried',
    orNull(amount('Saldo de la cuenta antes de este pago; null si no paga de un saldo.', 0)),
  ),
  left: payout.full(
    'left',
    orNull(amount('Lo que se quedó en la cuenta; null si no paga de un saldo.', 0)),
  ),
  difference: payout.full(
    'difference',
    orNull(amount('Lo que sus movimientos no explican; null si no se conocen.', 0)),
  ),
};
export const writeExplainedPayout = writerOf(EXPLAINED_PAYOUT);

/** A line of a payout beside what names the payout. */
interface LineOfPayout extends store.PayoutLine {
  readonly payout: Settlement;
}

const line = membersOf<LineOfPayout>();
export const PAYOUT_LINE = {
  marketplace: line.brief(
    ({ payout }) => payout.marketplace,
    word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0]),
  ),
  account_id: line.brief(
    ({ payout }) => payout.accountId,
    text('La cuenta del marketplace.', '468424241'),
  ),
  payout_id: line.brief(({ payout }) => payout.id, text('El pago que la incluye.', '123456789')),
  paid_at: line.brief(
    ({ payout }) => payout.paidAt,
    orNull(time('Cuándo se pagó; null si no se informa.', '2026-11-16T18:00:00.000Z')),
  ),
  currency: line.brief(({ payout }) => payout.currency, text('Moneda de los importes.', 'MXN')),
  order_id: line.brief(
    ({ order_id }) => order_id || null,
    orNull(text('La orden; null si son movimientos sin orden.', '2000009876543210')),
  ),
  kind: line.brief(
    'kind',
    orNull(word(MOVEMENT_KINDS, 'Qué movimientos son; null si son de una orden o varios.', 'sale')),
  ),
  native_type: line.brief(
    ({ order_id, native_type }) => (order_id ? null : native_type),
    orNull(text('Cómo los llama el marketplace; null si son de una orden.', 'ServiceFee')),
  ),
  sold: line.brief('sold', amount('Venta y envío que pagó el comprador.', 1000)),
  refunded: line.brief('refunded', amount('Lo devuelto al comprador, en positivo.', 0)),
  fees: line.brief('fees', amount('Lo que cobra el marketplace, en positivo.', 150)),
  withheld: line.brief('withheld', amount('Lo retenido de impuestos, en positivo.', 90)),
  other: line.brief('other', amount('Lo demás, con su signo.', 0)),
  net: line.brief(
    'net',
    amount('Lo que suma al pago: sold menos refunded, fees y withheld, más other.', 760),
  ),
};
export const writePayoutLine = writerOf(PAYOUT_LINE);

/** Payouts whose deposit, or else the end of whose period, is in the span; null = without that end. */
interface Span {
  /** Empty = of all. */
  readonly marketplace: readonly Settlement['marketplace'][];
  readonly from: Instant | null;
  /** Included. */
  readonly to: Instant | null;
}

const ALL = { status: [] };

/** The newest first. */
export async function explainedPayouts(
  scope: ReadScope,
  cursors: CursorMaker,
  query: Span & { readonly limit: number; readonly cursor: string | null },
): Promise<{ payouts: ExplainedPayout[]; nextCursor: string | null }> {
  const { settlements, nextCursor } = await listSettlements(scope, cursors, { ...ALL, ...query });
  const payouts: ExplainedPayout[] = [];
  for (const settlement of settlements) {
    const explained = await explainPayout(scope, settlement);
    const { carried = null, left = null, difference = null } = explained ?? {};
    payouts.push({ ...settlement, carried, left, difference });
  }
  return { payouts, nextCursor };
}

/** The next lines to read: those of the payout behind the cursor, after one of them. */
export interface PositionOfLines {
  readonly cursor: string | null;
  readonly after: readonly [order: string, type: string] | null;
}

/**
 * The lines of one payout after the other, in the order of the payouts; a page may have none.
 * @returns `next` null = there are no more
 */
export async function payoutLines(
  scope: ReadScope,
  cursors: CursorMaker,
  span: Span,
  { cursor, after }: PositionOfLines,
  limit: number,
): Promise<{ lines: LineOfPayout[]; next: PositionOfLines | null }> {
  const query = { ...ALL, ...span, cursor, limit: 1 };
  const { settlements, nextCursor } = await listSettlements(scope, cursors, query);
  const [payout] = settlements;
  if (!payout) return { lines: [], next: null };
  const explained = await explainPayout(scope, payout);
  const rows = explained ? await store.linesOf(scope, payout, explained.between, after, limit) : [];
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const following = nextCursor === null ? null : { cursor: nextCursor, after: null };
  return {
    lines: rows.map((row) => ({ ...row, payout })),
    next: last ? { cursor, after: [last.order_id, last.native_type] } : following,
  };
}
