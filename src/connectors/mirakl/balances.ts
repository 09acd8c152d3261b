import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { SourceBalance, Stream } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';
import { TransactionPage, UNPAID } from './wire.ts';

const PAGE_SIZE = 2_000;

type Sums = Readonly<Record<string, { readonly available: Decimal; readonly pending: Decimal }>>;

interface Position {
  readonly step: number;
  readonly token: string | null;
  /** So far, by currency. */
  readonly sums: Sums;
}

const NOTHING = { available: ZERO, pending: ZERO };

/**
 * Sums of the transaction log, of which only the rows in two states are asked for. A row's own `balance` is both
 * sums in one. One unreadable row would make them wrong, so here it costs the page.
 */
export const balances: Stream<SourceBalance, MiraklCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const { step, token, sums }: Position =
      position === null ? firstPosition(call.credentials) : JSON.parse(position);
    const { state, part } = UNPAID[step] ?? UNPAID[0];
    const { data, next_page_token } = await call.get('/sellerpayment/transactions_logs', TransactionPage, {
      query: { payment_state: state, limit: PAGE_SIZE, page_token: token ?? undefined },
      rate: 'transactions',
    });
    const grown = { ...sums };
    for (const { currency_iso_code: currency, amount, payment_state } of data) {
      const before = grown[currency] ?? NOTHING;
      if (payment_state === state) grown[currency] = { ...before, [part]: add(before[part], amount) };
    }

    // A token that repeats would add up the same rows again: the position stands still instead.
    if (next_page_token && next_page_token === token) return { items: [], next: position };
    if (next_page_token) return { items: [], next: pack({ step, token: next_page_token, sums: grown }) };
    if (step + 1 < UNPAID.length)
      return { items: [], next: pack({ step: step + 1, token: null, sums: grown }) };
    const asOf = call.now();
    return {
      items: Object.entries(grown).map(([currency, sum]) => ({
        ok: true,
        item: { purse: '', currency, ...sum, asOf, isDerived: true },
      })),
      next: null,
    };
  },
};

/** After a payout nothing is left to sum up, and that is zero in the shop's currency. */
function firstPosition({ currency }: MiraklCredentials): Position {
  return { step: 0, token: null, sums: currency ? { [currency]: NOTHING } : {} };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
