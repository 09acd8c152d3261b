import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** A prepaid account of a carrier when one of its amounts changed. */
interface PrepaidMoment {
  readonly service: string;
  readonly account_id: string;
  readonly currency: string;
  readonly as_of: Instant;
  readonly balance: Decimal | null;
  readonly available: Decimal | null;
  readonly credit_limit: Decimal | null;
}

const PREPAID = statement<PrepaidMoment>(
  'balances.prepaid-history',
  `select service, account_id, currency, as_of, balance, available, credit_limit
     from balance_history
    where organization_id = $1 and as_of >= $2::timestamptz and balance is not null
    order by service, account_id, purse, currency, as_of desc
    limit $3`,
);

/** The newest of each account first. Only carriers report a balance beside what is available. */
export function prepaidHistory(
  scope: ReadScope,
  from: Instant,
  most: number,
): Promise<PrepaidMoment[]> {
  return scope.prepared(PREPAID, [from.toString(), most]);
}
