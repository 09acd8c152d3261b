import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { SourceBalance, Stream } from '../contract.ts';
import { placeOfPages, type TokenPlace } from '../paging.ts';
import type { MiraklCredentials } from './credentials.ts';
import { TransactionPage, UNPAID } from './wire.ts';

const PAGE_SIZE = 2_000;

type Sums = Readonly<Record<string, { readonly available: Decimal; readonly pending: Decimal }>>;

interface Position extends TokenPlace {
  readonly step: number;
  /** The sums so far, by currency. */
  readonly sums: Sums;
}

const NOTHING = { available: ZERO, pending: ZERO };

/**
 * Sums of the transaction log, of which only the rows in two states are requested. A row's own
 * `balance` combines both sums. One unreadable row would make them wrong, so here it fails the
 * page.
 */
export const balances: Stream<SourceBalance, MiraklCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  addsUp: true,
  pageSize: PAGE_SIZE,

  async page(call, { window, position, limit }) {
    const at: Position =
      position === null
        ? firstPosition(call.credentials)
        : { size: PAGE_SIZE, ...JSON.parse(position) };
    const { step, token, size, sums } = placeOfPages(limit, at);
    const { state, part } = UNPAID[step] ?? UNPAID[0];
    const { data, next_page_token } = await call.get(
      '/sellerpayment/transactions_logs',
      TransactionPage,
      {
        query: { payment_state: state, limit: size, page_token: token ?? undefined },
        rate: 'transactions',
      },
    );
    const grown = token === null ? without(part, sums) : { ...sums };
    for (const { currency_iso_code: currency, amount, payment_state } of data) {
      const before = grown[currency] ?? NOTHING;
      if (payment_state === state)
        grown[currency] = { ...before, [part]: add(before[part], amount) };
    }

    // A repeated token would add the same rows again: the position does not move instead.
    if (next_page_token && next_page_token === token) return { items: [], next: position };
    if (next_page_token)
      return { items: [], next: pack({ step, token: next_page_token, size, sums: grown }) };
    if (step + 1 < UNPAID.length)
      return { items: [], next: pack({ step: step + 1, token: null, size, sums: grown }) };
    const asOf = window.to;
    return {
      items: Object.entries(grown).map(([currency, sum]) => ({
        ok: true,
        item: { purse: '', currency, ...sum, asOf, isDerived: true },
      })),
      next: null,
    };
  },
};

/** After a payout the sums are empty, and that is zero in the shop's currency. */
function firstPosition({ currency }: MiraklCredentials): Position {
  return { step: 0, token: null, size: PAGE_SIZE, sums: currency ? { [currency]: NOTHING } : {} };
}

/** A list that restarts is summed anew. */
function without(part: 'available' | 'pending', sums: Sums): Record<string, Sums[string]> {
  return Object.fromEntries(
    Object.entries(sums).map(([currency, sum]) => [currency, { ...sum, [part]: ZERO }]),
  );
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
