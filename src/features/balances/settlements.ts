import type { Marketplace, SourceSettlement } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import type { AccountSource } from '../connections/index.ts';
import type { Settlement } from './balance.ts';
import * as store from './store.ts';

export interface SettlementQuery {
  readonly marketplace: readonly Marketplace[];
  readonly status: readonly SourceSettlement['status'][];
  /** Both bounds are of `listedAt`, and inclusive. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface SettlementPage {
  readonly settlements: readonly Settlement[];
  readonly nextCursor: string | null;
}

/** Payouts by their id at the marketplace; an older version never replaces a newer one. @returns how many changed */
export async function recordSettlements(
  scope: WriteScope,
  source: AccountSource,
  settlements: readonly SourceSettlement[],
): Promise<number> {
  const newest = new Map<string, SourceSettlement>();
  for (const settlement of settlements)
    if (!isOlder(settlement, newest.get(settlement.id))) newest.set(settlement.id, settlement);
  return newest.size === 0 ? 0 : store.upsertSettlements(scope, source, [...newest.values()]);
}

/** The newest first. @throws Failure invalid_cursor */
export async function listSettlements(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, from, to, marketplace, status }: SettlementQuery,
): Promise<SettlementPage> {
  const walk = { kind: 'settlements', organizationId: scope.organizationId };
  const given = { marketplace, status, from: from && epochMicros(from), to: to && epochMicros(to) };
  const opened =
    cursor === null
      ? null
      : openWalkCursor<typeof given, [number, string, string, string]>(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await store.pageOfSettlements(scope, {
    ...filters,
    from: filters.from === null ? null : fromEpochMicros(filters.from),
    to: filters.to === null ? null : fromEpochMicros(filters.to),
    after: opened?.position ?? null,
    limit: limit + 1,
  });
  const settlements = found.slice(0, limit);
  const last = settlements.at(-1);
  if (found.length <= limit || !last) return { settlements, nextCursor: null };
  const position = [epochMicros(last.listedAt), last.marketplace, last.accountId, last.id];
  return { settlements, nextCursor: makeWalkCursor(cursors, walk, filters, position) };
}

function isOlder(settlement: SourceSettlement, other: SourceSettlement | undefined): boolean {
  if (!settlement.changedAt || !other?.changedAt) return false;
  return Temporal.Instant.compare(settlement.changedAt, other.changedAt) < 0;
}
