import type { WriteScope } from '../../platform/db/database.ts';
import { newEventId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

type EventType =
  | 'order.created'
  | 'order.updated'
  | 'order.status_changed'
  | 'shipment.created'
  | 'shipment.status_changed'
  | 'inventory.updated'
  | 'balance.updated'
  | 'guide.generated'
  | 'guide.failed';

export interface OutgoingEvent {
  readonly type: EventType;
  readonly at: Instant;
  /** The event's `data`, as JSON text. */
  readonly data: string;
}

/** Puts finished events into the outbox. */
export async function emit(scope: WriteScope, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await store.insert(
    scope,
    events.map((event) => ({ ...event, id: newEventId() })),
  );
}
