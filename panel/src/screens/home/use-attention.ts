import { isAwaited, useRead } from '../../queries.ts';

const AGAIN_EVERY_MS = 30_000;
const MOST_FINDINGS = 50;
/** States that require no action. */
const CALM: readonly string[] = ['ok', 'paused', 'disconnected'];

/** What requires attention, of all that the person may read. */
export function useAttention(calls: ReadonlySet<string>) {
  const often = { againEveryMs: AGAIN_EVERY_MS };
  const accounts = useRead('connections.list', {}, often);
  const alerts = useRead('alerts.list', {}, { isEnabled: calls.has('alerts.list'), ...often });
  const keys = useRead('keys.ending', {}, { isEnabled: calls.has('keys.ending'), ...often });
  const open = useRead('orders.open', {}, { isEnabled: calls.has('orders.open'), ...often });
  const findings = useRead(
    'findings.list',
    { limit: MOST_FINDINGS },
    { isEnabled: calls.has('findings.list'), ...often },
  );
  const reads = [accounts, alerts, open, findings, keys];
  const troubled = (accounts.data?.data ?? []).filter(({ state }) => !CALM.includes(state));
  return {
    /** Without an account nothing can be in order yet. */
    hasAccounts: accounts.data?.data.some(({ state }) => state !== 'disconnected') ?? false,
    /** Accounts with a problem. */
    troubled,
    /** Alerts; the reason of an account's problem is shown with the account. */
    reported: (alerts.data?.data ?? []).filter(
      ({ message }) => !troubled.some(({ state_message }) => state_message === message),
    ),
    /** There are more alerts than those. */
    hasMore: alerts.data?.has_more ?? false,
    /** Orders with a return or a claim. */
    opened: open.data ?? { count: 0, has_more: false },
    /** Open findings of the money. */
    found: {
      count: findings.data?.data.length ?? 0,
      hasMore: Boolean(findings.data?.next_cursor),
    },
    /** Keys that end soon. */
    ending: keys.data?.data ?? [],
    /** A read that failed. */
    failed: reads.find(({ error }) => error !== null),
    /** None is still awaited. */
    isKnown: !reads.some(isAwaited),
  };
}
