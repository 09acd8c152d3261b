import { CARRIERS } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { emit } from '../webhooks-out/index.ts';
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
  if (before && after && before.state !== after.state) await emitState(scope, before.state, after);
  return result;
}

async function emitState(
  scope: WriteScope,
  former: string,
  { id, service, account_id, name, state, state_message }: store.ConnectionRow,
): Promise<void> {
  const isCarrier = (CARRIERS as readonly string[]).includes(service);
  const data = JSON.stringify({
    id,
    [isCarrier ? 'carrier' : 'marketplace']: service,
    ...{ account_id, name, status: state, message: state_message },
  });
  await emit(scope, [
    { type: 'connection.status_changed', changed: ['status'], previousStatus: former, data },
  ]);
}
