import type { Handle, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { earlier, type Instant } from '../../platform/time.ts';
import { REPRESENTATION } from './public/fields.ts';
import type { Rerendered } from './rerender-orders.ts';
import type { Rerendering } from './store-rerendering.ts';
import * as store from './store-rerendering.ts';

const HOUR_MS = 3_600_000;

/** Organisations whose step is due, the longest first. */
export function dueRerenderings(handle: Handle, now: Instant): Promise<string[]> {
  return store.due(handle, REPRESENTATION, now);
}

/** Locks the re-rendering of the first of these whose step is due, until the transaction ends. */
export async function lockDueRerendering(
  handle: WriteHandle,
  now: Instant,
  organizationIds: readonly string[],
): Promise<Rerendering | null> {
  const row = await store.lockDue(handle, REPRESENTATION, now, organizationIds);
  if (!row || row.total !== null) return row ?? null;
  return { ...row, total: await store.countOrders(handle.within(row.organization_id)) };
}

/**
 * Records a step. The next one is due such that all orders are spread evenly over so many hours.
 */
export async function advanceRerendering(
  scope: WriteScope,
  before: Rerendering,
  { last, isEnd, visited, changed, undocumented, unread }: Rerendered,
  hours: number,
): Promise<Rerendering> {
  const { now } = scope.clock;
  const after = {
    ...before,
    ...(last && { marketplace: last.marketplace, account_id: last.accountId, order_id: last.id }),
    visited: before.visited + visited,
    changed: before.changed + changed,
    undocumented: before.undocumented + undocumented,
    unreadable: before.unreadable + unread.length,
    ended_at: isEnd ? now() : null,
    is_failing: false,
  };
  const moved = { ...after, due_at: dueAfter(after, hours) };
  await store.save(scope, moved);
  return moved;
}

/** A step failed: the next attempt is not before then. */
export async function putOffRerendering(scope: WriteScope, until: Instant): Promise<void> {
  await store.putOff(scope, until);
}

/** Orders stored meanwhile do not put off the end. */
function dueAfter({ started_at, visited, total }: Rerendering, hours: number): Instant {
  const share = total ? visited / total : 1;
  const end = started_at.add({ milliseconds: Math.round(hours * HOUR_MS) });
  return earlier(end, started_at.add({ milliseconds: Math.round(share * hours * HOUR_MS) }));
}
