import { CARRIERS } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { emit } from '../webhooks-out/index.ts';
import { stateIn } from './states.ts';
import * as store from './store.ts';

/** Changes a connection, and emits an event where that changed its state. */
export async function announcingState<T>(
  scope: WriteScope,
  id: string,
  change: () => Promise<T>,
): Promise<T> {
  const before = await store.lockedById(scope, id);
  const result = await change();
  const after = await store.byId(scope, id);
  if (!before || !after) return result;
  const former = stateIn(before).state;
  if (former !== stateIn(after).state) await emitState(scope, former, after);
  return result;
}

async function emitState(
  scope: WriteScope,
  former: string,
  row: store.ConnectionRow,
): Promise<void> {
  const { id, service, account_id, name } = row;
  const { state, stateMessage } = stateIn(row);
  const isCarrier = (CARRIERS as readonly string[]).includes(service);
  const data = JSON.stringify({
    id,
    [isCarrier ? 'carrier' : 'marketplace']: service,
    account_id,
    name,
    status: state,
    message: stateMessage,
  });
  await emit(scope, [
    { type: 'connection.status_changed', changed: ['status'], previousStatus: former, data },
  ]);
}
