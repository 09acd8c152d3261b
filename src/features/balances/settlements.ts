import {
  MARKETPLACES,
  SETTLEMENT_STATUSES,
  type SourceSettlement,
} from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { choices, type GivenBy, instant } from '../../platform/input-fields.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import type { AccountSource } from '../connections/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import type { Settlement } from './balance.ts';
import { writeSettlement } from './fields.ts';
import * as store from './store-settlements.ts';

export const SETTLEMENT_FILTERS = {
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
  status: choices(SETTLEMENT_STATUSES, 'Solo en estos estados.', ['paid']),
  from: instant(
    'Pagados en este instante o después; sin fecha de pago cuenta el fin de su periodo.',
    '2026-11-01T00:00:00Z',
  ),
  to: instant(
    'Pagados en este instante o antes; sin fecha de pago cuenta el fin de su periodo.',
    '2026-11-30T23:59:59Z',
  ),
};
type SettlementFilters = GivenBy<typeof SETTLEMENT_FILTERS>;
export type SettlementQuery = SettlementFilters & PageQuery;

interface SettlementPage {
  readonly settlements: readonly Settlement[];
  readonly nextCursor: string | null;
}

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

/** @returns null where none is stored */
export function settlementOf(
  scope: ReadScope,
  { marketplace, accountId, id }: Pick<Settlement, 'marketplace' | 'accountId' | 'id'>,
): Promise<Settlement | null> {
  return store.settlementOf(scope, marketplace, accountId, id);
}

/** The newest that was paid, of one currency of an account; null = none. */
export function latestPayout(
  scope: ReadScope,
  account: Pick<Settlement, 'marketplace' | 'accountId' | 'currency'>,
): Promise<Settlement | null> {
  return store.latestPayout(scope, account);
}

/** The newest first. @throws Failure invalid_cursor */
export async function listSettlements(
  scope: ReadScope,
  cursors: CursorMaker,
  query: SettlementQuery,
): Promise<SettlementPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    ({ marketplace, status, from, to, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      return store.pageOfSettlements(scope, { marketplace, status, from, to, after, limit });
    },
  );
  return { settlements: rows, nextCursor };
}

const WALK: RowWalk<SettlementFilters, Settlement, store.SettlementPosition> = {
  kind: 'settlements',
  instants: { from: true, to: true },
  positionOf: ({ listedAt, marketplace, accountId, id }) => [
    epochMicros(listedAt),
    marketplace,
    accountId,
    id,
  ],
};

function isOlder(settlement: SourceSettlement, other: SourceSettlement | undefined): boolean {
  if (!settlement.changedAt || !other?.changedAt) return false;
  return Temporal.Instant.compare(settlement.changedAt, other.changedAt) < 0;
}
