import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { REPRESENTATION } from './public/fields.ts';
import * as store from './store-rerendering.ts';

/** The progress of re-rendering an organisation's orders. */
export interface RerenderingProgress {
  readonly visited: number;
  /** Orders that there were at the beginning; null = not counted yet. */
  readonly total: number | null;
}

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
