import type { WriteScope } from '../../platform/db/database.ts';
import { newEventId } from '../../platform/ids.ts';
import { envelopeOf, type OutgoingEvent } from './event.ts';
import * as store from './store.ts';

/** Puts finished events into the outbox, with a delivery for each endpoint that asked for them. */
export async function emit(scope: WriteScope, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await store.insert(
    scope,
    scope.clock.now(),
    events.map((event) => ({
      id: newEventId(),
      type: event.type,
      created_at: event.at,
      data: event.data,
      envelope: envelopeOf(event),
    })),
  );
}
