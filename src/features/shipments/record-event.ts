import type { Carrier, SourceShipmentEvent } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import { alertUnknownCode } from './alert-unknown.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { insertEvent } from './store-events.ts';

export interface RecordedEvent {
  /** It was known already: nothing follows from it. */
  readonly isDuplicate: boolean;
  /** Null = an orphan: linked once its shipment is known. */
  readonly shipment: ShipmentIdentity | null;
}

/**
 * Keeps an event that a carrier pushed, with its receipt. The same event twice is kept once, for ever: what makes
 * it the same is the table's key. Where its shipment stands now is settled afterwards.
 */
export async function recordEvent(
  scope: WriteScope,
  carrier: Carrier,
  event: SourceShipmentEvent,
): Promise<RecordedEvent> {
  const receipt = { id: newId(), payloadHash: sha256(event.raw) };
  const {
    shipment_id: id,
    account_id: accountId,
    is_new,
  } = await insertEvent(scope, carrier, event, receipt);
  if (is_new && event.category === null) await alertUnknownCode(scope, carrier, event.code);
  const isLinked = id !== null && accountId !== null;
  return { isDuplicate: !is_new, shipment: isLinked ? { carrier, accountId, id } : null };
}
