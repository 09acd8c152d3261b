import type { Freshness } from '../../features/connections/index.ts';

const MOST_NAMED = 20;

/** Accounts as an answer names them. */
interface FreshnessNotes {
  readonly stale: readonly Freshness[];
  /** What `freshness` lists: the accounts that are not fresh, and the oldest. */
  readonly listed: readonly Freshness[];
}

/** @param asked the marketplaces that a call names; none = all */
export function freshnessNotes(
  all: readonly Freshness[],
  asked: readonly string[],
): FreshnessNotes {
  const accounts = asked.length === 0 ? all : all.filter(({ service }) => asked.includes(service));
  const stale = accounts.filter(({ state }) => state !== 'ok');
  const [oldest] = accounts.toSorted((a, b) => lastSyncMillis(a) - lastSyncMillis(b));
  const listed = stale.slice(0, MOST_NAMED);
  if (oldest && !listed.includes(oldest)) listed.push(oldest);
  return { stale, listed };
}

/** An account without a sync run is the oldest. */
function lastSyncMillis({ lastSyncAt }: Freshness): number {
  return lastSyncAt?.epochMilliseconds ?? 0;
}
