import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { earlier, type Instant } from '../../platform/time.ts';
import { REPRESENTATION } from './public/fields.ts';
import type { Rerendered } from './rerender-orders.ts';
import type { Rerendering } from './store-rerendering.ts';
import * as store from './store-rerendering.ts';

/** The progress of re-rendering an organisation's orders. */
export interface RerenderingProgress {
  readonly visited: number;
  /** Orders that there were at the beginning; null = not counted yet. */
  readonly total: number | null;
}

const HOUR_MS = 3_600_000;

/** Organisations whose orders may have an older representation, and whose re-rendering has not begun. */
export function organizationsToRerender(handle: Handle): Promise<string[]> {
  return store.unplanned(handle, REPRESENTATION);
}

/** Does nothing where it has begun. */
export async function beginRerendering(scope: WriteScope): Promise<void> {
  await store.plan(scope, REPRESENTATION, scope.clock.now());
}

/** One of the organisations whose re-rendering has not ended. */
export function rerenderingsUnderWay(handle: Handle): Promise<string[]> {
  return store.underWay(handle);
}

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

/** Of an organisation that was erased while the re-renderings were planned. */
export function dropRerendering(handle: WriteHandle, organizationId: string): Promise<void> {
  return store.drop(handle, organizationId);
}

/** The progress of this organisation's re-rendering; null = none is under way. */
export async function rerenderingOf(
  scope: ReadScope,
): Promise<{ visited: number; total: number | null } | null> {
  const row = await store.ofOrganization(scope);
  return row && row.ended_at === null ? { visited: row.visited, total: row.total } : null;
}

/** Orders stored meanwhile do not put off the end. */
function dueAfter({ started_at, visited, total }: Rerendering, hours: number): Instant {
  const share = total ? visited / total : 1;
  const end = started_at.add({ milliseconds: Math.round(hours * HOUR_MS) });
  return earlier(end, started_at.add({ milliseconds: Math.round(share * hours * HOUR_MS) }));
}
