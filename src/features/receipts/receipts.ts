import type { WriteScope } from '../../platform/db/database.ts';
import { idOf, newId } from '../../platform/ids.ts';
import * as store from './store.ts';

/** Stores a webhook as received. @returns its id */
export async function keepReceipt(
  scope: WriteScope,
  push: { connectionId: string; source: string; body: string },
): Promise<string> {
  const id = newId();
  await store.insert(scope, { ...push, id, receivedAt: scope.clock.now() });
  return id;
}

/**
 * Counts webhooks that are not stored one by one: they share one receipt an hour and connection.
 * @param count how many arrived
 */
export async function countMerged(
  scope: WriteScope,
  { connectionId, source }: { connectionId: string; source: string },
  count: number,
): Promise<void> {
  const now = scope.clock.now();
  const hour = now.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const id = idOf(`${connectionId} ${hour}`);
  await store.count(scope, { id, connectionId, source, body: '', receivedAt: now }, count);
}

/**
 * Records the outcome: `recorded`, `merged` into one that was queued or into a sync run, `deferred`
 * to a sync run, `ignored`, or why it failed: the kind of the `UpstreamError`, or `failed` by our
 * own fault. A later attempt may replace it.
 */
export async function settleReceipt(scope: WriteScope, id: string, outcome: string): Promise<void> {
  await store.settle(scope, id, outcome, scope.clock.now());
}

/**
 * Deletes the content of a connection's webhooks, queued ones too; their arrival stays recorded.
 */
export async function blankReceipts(scope: WriteScope, connectionId: string): Promise<void> {
  await store.blank(scope, connectionId);
}
