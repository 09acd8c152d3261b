import type { Handle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

interface BalanceTotals {
  readonly service: string;
  readonly currency: string;
  readonly accounts: number;
  readonly balance: Decimal | null;
  readonly available: Decimal | null;
  readonly credit_limit: Decimal | null;
  readonly least_available: Decimal | null;
}

const TOTALS = statement<BalanceTotals>(
  'balances.totals',
  `select service, currency, count(*) as accounts, sum(balance) as balance, sum(available) as available,
          sum(credit_limit) as credit_limit, min(available) as least_available
     from balances where service = any($1) and as_of >= $2::timestamptz group by service, currency`,
);

/**
 * Over the accounts of all organisations at these services, as far as they were read since then.
 */
export function balanceTotals(
  handle: Handle,
  services: readonly string[],
  since: Instant,
): Promise<BalanceTotals[]> {
  return handle.raw(TOTALS, [services, since.toString()]);
}
