import type { Carrier, SourceShipmentEvent } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import { alertUnknownCode } from './alert-unknown.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { insertEvents } from './store-events.ts';
import { insertEventsApart } from './store-events-apart.ts';

export interface RecordedEvent {
  /** It was stored already and has no effect. */
  readonly isDuplicate: boolean;
  /** Null = an orphan: linked once its shipment is known. */
  readonly shipment: ShipmentIdentity | null;
}

/**
 * Stores events that a carrier sent, each with its receipt. A repeated event is stored once, for
 * ever: the table's key defines equality. The shipment's status is updated afterwards.
 * @param servers where organisations are on several servers of data, several statements
 * @returns the result of each, in their order
 */
export async function recordEvents(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly SourceShipmentEvent[],
  servers: 'one' | 'several' = 'one',
): Promise<RecordedEvent[]> {
  const received = events.map((event) => ({
    ...event,
    receiptId: newId(),
    payloadHash: sha256(event.raw),
  }));
  const insert = servers === 'one' ? insertEvents : insertEventsApart;
  const rows = await insert(scope, carrier, received);
  const unknown = events.filter((event, at) => rows[at]?.is_new && event.category === null);
  for (const code of new Set(unknown.map((event) => event.code)))
    await alertUnknownCode(scope, carrier, code);
  return rows.map(({ is_new, shipment_id: id, account_id: accountId }) => ({
    isDuplicate: !is_new,
    shipment: id !== null && accountId !== null ? { carrier, accountId, id } : null,
  }));
}
