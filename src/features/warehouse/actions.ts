import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { type Act, noteAct } from '../trail/index.ts';
import type { Action, Actor } from './actor.ts';
import * as store from './store-actions.ts';

/** Records an actor's action in the transaction that does it. */
export async function noteAction(
  scope: WriteScope,
  actor: Actor,
  action: string,
  lineId: string | null,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await noteActions(scope, actor, action, [{ lineId, details }]);
}

export async function noteActions(
  scope: WriteScope,
  actor: Actor,
  action: string,
  about: readonly { lineId: string | null; details: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  if (about.length > 0) await store.insert(scope, actor, action, about, scope.clock.now());
}

/** Records an action that concerns the whole organisation in its trail, too. */
export async function noteInTrail(
  scope: WriteScope,
  { kind, id, address = null }: Actor,
  act: Act,
  label?: string,
): Promise<void> {
  const by = kind === 'person' ? { personId: id, address } : kind;
  await noteAct(scope, by, act, label === undefined ? {} : { label });
}

/** The actions on a line, oldest first. */
export function actionsOf(scope: ReadScope, lineId: string): Promise<Action[]> {
  return store.of(scope, lineId);
}
