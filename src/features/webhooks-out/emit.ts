import type { WriteScope } from '../../platform/db/database.ts';
import { newEventId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { envelopeOf, type OutgoingEvent, TEST_TYPE } from './event.ts';
import { publishEventClock } from './event-clock.ts';
import * as store from './store.ts';

/** Puts finished events into the outbox, with a delivery for each endpoint that asked for them. */
export async function emit(scope: WriteScope, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = scope.clock.now();
  const rows = events.map((event) => rowOf(event, now));
  publishEventClock(scope, await store.insert(scope, now, rows));
}

/** Emits a test event for one endpoint. @returns its id */
export async function emitTest(scope: WriteScope, endpointId: string): Promise<string> {
  const at = scope.clock.now();
  const data = JSON.stringify({ endpoint_id: endpointId });
  const event = rowOf({ type: TEST_TYPE, data }, at);
  publishEventClock(scope, await store.insertFor(scope, endpointId, at, event));
  return event.id;
}

function rowOf({ accounts = [], ...event }: OutgoingEvent, now: Instant) {
  return {
    id: newEventId(),
    type: event.type,
    created_at: event.at ?? now,
    data: event.data,
    envelope: envelopeOf(event),
    accounts: JSON.stringify(
      accounts.map(({ marketplace, accountId }) => ({ marketplace, account_id: accountId })),
    ),
  };
}
