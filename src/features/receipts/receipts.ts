import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** Keeps a push as it came. @returns its id */
export async function keepReceipt(
  scope: WriteScope,
  push: { connectionId: string; source: string; body: string },
): Promise<string> {
  const id = newId();
  await store.insert(scope, { ...push, id, receivedAt: scope.clock.now() });
  return id;
}

/** What became of it: `recorded`, `merged` into one that was waiting, `ignored`, or why it failed. */
export async function settleReceipt(scope: WriteScope, id: string, outcome: string): Promise<void> {
  await store.settle(scope, id, outcome, scope.clock.now());
}

export async function forgetReceipts(handle: WriteHandle, before: Instant): Promise<void> {
  await store.removeBefore(handle, before);
}

/** Forgets what a connection's pushes said, waiting ones too; that they came stays known. */
export async function blankReceipts(scope: WriteScope, connectionId: string): Promise<void> {
  await store.blank(scope, connectionId);
}
