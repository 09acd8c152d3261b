import type { SourceMovement } from '../../connectors/contract.ts';
import { compare, multiply } from '../../platform/money.ts';
import { compareInstants } from '../../platform/time.ts';
import type * as store from './store-movements.ts';

/** A correction takes the next revision, and what replaces it the one after. */
export function nextRevision(latest: store.StoredMovement | undefined): number {
  if (!latest) return 0;
  return latest.isCorrection ? latest.revision + 1 : latest.revision + 2;
}

export function takenBack(row: store.StoredMovement): store.StoredMovement {
  return {
    ...row,
    amount: multiply(row.amount, -1),
    isCorrection: true,
    revision: row.revision + 1,
  };
}

/** Whether the source now reports other money for a row. */
export function isReplacedBy(reported: ReadonlyMap<string, SourceMovement>) {
  return (row: store.StoredMovement): boolean => {
    const now = reported.get(row.key);
    if (!now || row.isCorrection) return false;
    return (
      compare(now.amount, row.amount) !== 0 ||
      compareInstants(now.at, row.at) !== 0 ||
      (['kind', 'currency', 'orderId'] as const).some((name) => now[name] !== row[name])
    );
  };
}

/** Whether more is known of the same money: its payout, or that it is final. */
export function isSettledBy(row: store.StoredMovement | undefined, now: SourceMovement): boolean {
  if (!row || row.isCorrection || isReplacedBy(new Map([[now.key, now]]))(row)) return false;
  const isPaidNow = now.payoutId !== null && now.payoutId !== row.payoutId;
  return isPaidNow || now.isOpen !== row.isOpen;
}
