import { z } from 'zod';
import { multiply } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type {
  Call,
  Page,
  SourceMoney,
  SourceSettlement,
  Stream,
  StreamRequest,
} from '../contract.ts';
import { walk } from '../lists.ts';
import { readEach } from '../read-rows.ts';
import { type TokenPosition, tokenInPagesOf, tokenPositionOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import { id, looseText as text } from '../wire-fields.ts';
import { askList } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import {
  isAfter,
  listStatements,
  PAGE_SIZE,
  PAID,
  STATEMENTS,
  Statement,
  secondsOf,
  UNPAID_DAYS,
} from './statements.ts';
import { time, trimmed } from './wire.ts';
import { readTransactions } from './wire-movements.ts';

/** So many are looked through for those that the statements of one page name. */
const MOST_PAYMENTS = 1_000;

const Payment = z.object({ id, status: text, paid_time: time });
type Payment = z.infer<typeof Payment>;

const STATUSES: Readonly<Record<string, SourceSettlement['status']>> = {
  PAID: 'paid',
  FAILED: 'failed',
  PROCESSING: 'pending',
  SETTLED: 'pending',
  UNPAID: 'pending',
};

/** A paid statement does not change; it was read by the sync run after its payment. */
const READ_AGAIN_DAYS = 2;

/** A page of statements, then the transactions of each of them. */
interface Position extends TokenPosition {
  /** Those whose transactions are still to be read. */
  readonly statements: readonly Pending[];
  /** Of the transactions of the first one. */
  readonly inner: TokenPosition;
  /** No page of statements follows. */
  readonly isLast: boolean;
}

/** `at` in epoch seconds. */
interface Pending {
  readonly id: string;
  readonly at: number;
  readonly isPaid: boolean;
}

const INNER: TokenPosition = { token: null, size: PAGE_SIZE };

export const settlements: Stream<SourceMoney, TiktokShopCredentials> = {
  every: { minutes: 360 },
  // What a statement says changes only until it is paid.
  overlap: { minutes: UNPAID_DAYS * 24 * 60 },
  pageSize: PAGE_SIZE,

  page(call, request) {
    const position = positionOf(request);
    const [statement, ...others] = position.statements;
    return statement
      ? readTransactionsOf(call, request, { position, statement, others })
      : readStatements(call, request, position);
  },

  /**
   * The token to what lies behind a row comes with it: the rest of the list is left out of this
   * sync run.
   */
  async tooLarge(_, request) {
    const position = positionOf(request);
    const [statement, ...statements] = position.statements;
    if (!statement) return { items: [tooLargeIn(STATEMENTS)], next: null };
    const items = [tooLargeIn(transactionsPath(statement.id))];
    return { items, next: pack({ ...position, statements, inner: INNER }) };
  },
};

async function readStatements(
  call: Call<TiktokShopCredentials>,
  { window, limit }: StreamRequest,
  at: Position,
): Promise<Page<SourceMoney>> {
  const fitting = tokenInPagesOf(limit, at);
  const { rows, next } = await listStatements(call, fitting, {
    sort_order: 'ASC',
    since: window.from,
  });
  const payments = await findPayments(call, rows, limit);
  const statements = rows
    .flatMap((row) => Statement.safeParse(trimmed(row)).data ?? [])
    .filter((statement) => isToBeRead(statement, payments, window.from))
    .flatMap(({ id, statement_time: time, payment_status }) =>
      time ? { id, at: secondsOf(time), isPaid: payment_status === PAID } : [],
    );
  const position = { ...fitting, token: next, statements, inner: INNER, isLast: next === null };
  return { items: readEach(rows, (row) => toSettlement(row, payments)), next: pack(position) };
}

/** All those of a first sync run; later those that are new, unpaid or paid since the last one. */
function isToBeRead(
  { statement_time, payment_status, payment_id }: Statement,
  payments: ReadonlyMap<string, Payment>,
  from: Instant | null,
): boolean {
  if (from === null || payment_status !== PAID) return true;
  const since = from.add({ hours: 24 * (UNPAID_DAYS - READ_AGAIN_DAYS) });
  const paidAt = payments.get(payment_id ?? '')?.paid_time ?? null;
  return isAfter(paidAt, since) || isAfter(statement_time, since);
}

async function readTransactionsOf(
  call: Call<TiktokShopCredentials>,
  { limit }: StreamRequest,
  {
    position,
    statement,
    others,
  }: {
    readonly position: Position;
    readonly statement: Pending;
    readonly others: readonly Pending[];
  },
): Promise<Page<SourceMoney>> {
  const { token, size } = tokenInPagesOf(limit, position.inner);
  const query = {
    sort_field: 'order_create_time',
    sort_order: 'ASC',
    page_size: size,
    page_token: token ?? undefined,
  };
  const path = transactionsPath(statement.id);
  const { rows, next } = await askList(
    call,
    { method: 'GET', path, query },
    'statement_transactions',
  );
  const at = Temporal.Instant.fromEpochMilliseconds(statement.at * 1000);
  return {
    items: readTransactions(rows, { ...statement, at, isWhole: token === null && next === null }),
    next: pack(
      next
        ? { ...position, inner: { token: next, size } }
        : { ...position, statements: others, inner: INNER },
    ),
  };
}

function transactionsPath(id: string): string {
  return `${STATEMENTS}/${encodeURIComponent(id)}/statement_transactions`;
}

/** Positions of an older release have no statements. */
function positionOf({ position }: StreamRequest): Position {
  return { statements: [], inner: INNER, isLast: false, ...tokenPositionOf(position, PAGE_SIZE) };
}

function pack(position: Position): string | null {
  return position.isLast && position.statements.length === 0 ? null : JSON.stringify(position);
}

/**
 * Payments are listed by their own time only, newest first, until all that are named were found.
 */
async function findPayments(
  call: Call<unknown>,
  rows: readonly unknown[],
  page_size: number,
): Promise<Map<string, Payment>> {
  const statements = rows.flatMap((row) => Statement.safeParse(trimmed(row)).data ?? []);
  const named = new Set(statements.flatMap(({ payment_id }) => payment_id ?? []));
  const found = new Map<string, Payment>();
  if (named.size === 0) return found;
  let seen = 0;
  const list = walk(call, undefined, (page_token: string | undefined) => {
    const query = { sort_field: 'create_time', page_size, page_token };
    return askList(call, { method: 'GET', path: '/finance/202309/payments', query }, 'payments');
  });
  for await (const payments of list) {
    for (const row of payments) {
      const payment = Payment.safeParse(trimmed(row)).data;
      if (payment && named.has(payment.id)) found.set(payment.id, payment);
    }
    seen += payments.length;
    if (found.size === named.size || seen >= MOST_PAYMENTS) break;
  }
  return found;
}

/** @throws ZodError with the path of the first wrong field */
export function toSettlement(
  row: unknown,
  payments: ReadonlyMap<string, Payment>,
): SourceSettlement {
  const statement = Statement.parse(trimmed(row));
  const payment = payments.get(statement.payment_id ?? '');
  const native = statement.payment_status ?? payment?.status ?? '';
  return {
    id: statement.id,
    status: inTable(STATUSES, native) ?? 'pending',
    marketplaceStatus: native,
    currency: statement.currency,
    gross: statement.revenue_amount,
    // Given as its effect on the money, so it is negative.
    fees: statement.fee_amount && multiply(statement.fee_amount, -1),
    net: statement.settlement_amount,
    from: null,
    to: statement.statement_time,
    paidAt: payment?.paid_time ?? null,
    reference: statement.payment_id,
    changedAt: null,
    raw: JSON.stringify(row),
  };
}
