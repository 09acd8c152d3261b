import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Page, SourceBalance, Stream } from '../contract.ts';
import { type TokenPosition, tokenInPagesOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MiraklCredentials } from './credentials.ts';
import { TransactionPage, UNPAID } from './wire.ts';

const PATH = '/sellerpayment/transactions_logs';
const PAGE_SIZE = 2_000;
/** With smaller pages, one row that is too large would use up the calls of a day. */
const LEAST_SIZE = 100;

type Part = (typeof UNPAID)[number]['part'];
type Sums = Readonly<Record<string, Readonly<Record<Part, Decimal>>>>;

interface Position extends TokenPosition {
  readonly step: number;
  /** The sums so far, by currency. */
  readonly sums: Sums;
  /** Whose rows could not all be read. */
  readonly unknown?: readonly Part[];
}

const NOTHING = { available: ZERO, pending: ZERO };

/**
 * Sums of the transaction log, of which only the rows in two states are requested. A row's own
 * `balance` combines both sums. One unreadable row would make them wrong, so here it fails the
 * page; where the rows of a sum are too large, that sum is unknown.
 */
export const balances: Stream<SourceBalance, MiraklCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  addsUp: true,
  pageSize: PAGE_SIZE,
  leastSize: LEAST_SIZE,

  async page(call, { window, position, limit }) {
    const at = positionOf(call.credentials, position);
    const { step, token, size, sums } = tokenInPagesOf(limit, at);
    const { state, part } = UNPAID[step] ?? UNPAID[0];
    const { data, next_page_token } = await call.get(PATH, TransactionPage, {
      query: { payment_state: state, limit: size, page_token: token ?? undefined },
      rate: 'transactions',
    });
    const grown = token === null ? without(part, sums) : { ...sums };
    for (const { currency_iso_code: currency, amount, payment_state } of data) {
      const before = grown[currency] ?? NOTHING;
      if (payment_state === state)
        grown[currency] = { ...before, [part]: add(before[part], amount) };
    }

    // A repeated token would add the same rows again: the position does not move instead.
    if (next_page_token && next_page_token === token) return { items: [], next: position };
    const grownAt = { ...at, size, sums: grown };
    if (next_page_token) return { items: [], next: pack({ ...grownAt, token: next_page_token }) };
    return afterStep(grownAt, window.to);
  },

  /** The token to what lies behind a row comes with it: the rest of the step is left out. */
  async tooLarge({ credentials }, { window, position }) {
    const at = positionOf(credentials, position);
    const { part } = UNPAID[at.step] ?? UNPAID[0];
    const page = afterStep({ ...at, unknown: [...(at.unknown ?? []), part] }, window.to);
    return { ...page, items: [tooLargeIn(PATH), ...page.items] };
  },
};

function positionOf(credentials: MiraklCredentials, position: string | null): Position {
  return position === null
    ? firstPosition(credentials)
    : { size: PAGE_SIZE, ...JSON.parse(position) };
}

function afterStep(at: Position, asOf: Instant): Page<SourceBalance> {
  const { step, sums, unknown = [] } = at;
  if (step + 1 < UNPAID.length)
    return { items: [], next: pack({ ...at, step: step + 1, token: null }) };
  const amountOf = (sum: Sums[string], part: Part) => (unknown.includes(part) ? null : sum[part]);
  return {
    items: Object.entries(sums).map(([currency, sum]) => ({
      ok: true,
      item: {
        purse: '',
        currency,
        available: amountOf(sum, 'available'),
        pending: amountOf(sum, 'pending'),
        asOf,
        isDerived: true,
      },
    })),
    next: null,
  };
}

/** After a payout the sums are empty, and that is zero in the shop's currency. */
function firstPosition({ currency }: MiraklCredentials): Position {
  return { step: 0, token: null, size: PAGE_SIZE, sums: currency ? { [currency]: NOTHING } : {} };
}

/** A list that restarts is summed anew. */
function without(part: Part, sums: Sums): Record<string, Sums[string]> {
  return Object.fromEntries(
    Object.entries(sums).map(([currency, sum]) => [currency, { ...sum, [part]: ZERO }]),
  );
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
