import type { SourceSettlement } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AccountSource } from '../connections/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import { writeSettlement } from './fields.ts';
import * as store from './store-settlements.ts';

/**
 * Stores payouts by their id at the marketplace; an older version never replaces a newer one.
 * Customers get an event of each that is paid now and was not before.
 * @returns how many changed
 */
export async function recordSettlements(
  scope: WriteScope,
  source: AccountSource,
  settlements: readonly SourceSettlement[],
  { announce }: { announce: boolean },
): Promise<number> {
  const newest = new Map<string, SourceSettlement>();
  for (const settlement of settlements)
    if (!isOlder(settlement, newest.get(settlement.id))) newest.set(settlement.id, settlement);
  if (newest.size === 0) return 0;
  const changed = await store.upsertSettlements(scope, source, [...newest.values()]);
  if (announce) await emit(scope, changed.filter(isPaidNow).map(eventOf));
  return changed.length;
}

function isPaidNow({ settlement, formerStatus }: store.ChangedSettlement): boolean {
  return settlement.status === 'paid' && formerStatus !== 'paid';
}

function eventOf({ settlement, formerStatus }: store.ChangedSettlement): OutgoingEvent {
  const data = writeSettlement(settlement, 'event');
  if (formerStatus === null) return { type: 'payout.settled', data };
  return { type: 'payout.settled', changed: ['status'], previousStatus: formerStatus, data };
}

function isOlder(settlement: SourceSettlement, other: SourceSettlement | undefined): boolean {
  if (!settlement.changedAt || !other?.changedAt) return false;
  return Temporal.Instant.compare(settlement.changedAt, other.changedAt) < 0;
}
