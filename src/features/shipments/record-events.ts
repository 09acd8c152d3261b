import type { Carrier, SourceShipmentEvent } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import { alertUnknownCode } from './alert-unknown.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { insertEvents } from './store-events.ts';

export interface RecordedEvent {
  /** It was known already: nothing follows from it. */
  readonly isDuplicate: boolean;
  /** Null = an orphan: linked once its shipment is known. */
  readonly shipment: ShipmentIdentity | null;
}

/**
 * Keeps events that a carrier pushed, each with its receipt. The same event twice is kept once, for
 * ever: what makes it the same is the table's key. Where its shipment stands now is settled
 * afterwards.
 * @returns what became of each, in their order
 */
export async function recordEvents(
  scope: WriteScope,
  carrier: Carrier,
  events: readonly SourceShipmentEvent[],
): Promise<RecordedEvent[]> {
  const received = events.map((event) => ({
    ...event,
    receiptId: newId(),
    payloadHash: sha256(event.raw),
  }));
  const rows = await insertEvents(scope, carrier, received);
  const unknown = events.filter((event, at) => rows[at]?.is_new && event.category === null);
  for (const code of new Set(unknown.map((event) => event.code)))
    await alertUnknownCode(scope, carrier, code);
  return rows.map(({ is_new, shipment_id: id, account_id: accountId }) => ({
    isDuplicate: !is_new,
    shipment: id !== null && accountId !== null ? { carrier, accountId, id } : null,
  }));
}
