import type { SourceStock } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fold } from '../../platform/text.ts';
import type { Instant } from '../../platform/time.ts';
import type { AccountSource } from '../connections/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import { writeLevel } from './fields.ts';
import type { StockLevel } from './stock.ts';
import * as store from './store.ts';

interface Sighting {
  /** When the levels were asked for. */
  readonly seenAt: Instant;
  /** Whether customers get events. */
  readonly announce: boolean;
}

/**
 * Stores levels; changes go into the history and to customers. A level that was asked for again
 * since then stays as it is.
 * @returns how many levels were new or different
 */
export async function recordStock(
  scope: WriteScope,
  source: AccountSource,
  levels: readonly SourceStock[],
  { seenAt, announce }: Sighting,
): Promise<number> {
  const last = [...new Map(levels.map((level) => [keyOf(level), level])).entries()].sort(byKey);
  const all = last.map(([, level]) => level);
  if (all.length === 0) return 0;
  const stored = new Map(
    (await store.lockLevels(scope, source, all)).map((level) => [keyOf(level), level]),
  );
  const now = scope.clock.now();
  const given = all.filter((level) => {
    const seen = stored.get(keyOf(level))?.seenAt;
    // A time to come is that of a clock that was ahead.
    return !seen || !isBefore(seenAt, seen) || isBefore(now, seen);
  });
  const changed = given.filter((level) => differs(level, stored.get(keyOf(level))));
  const isChanged = new Set(changed);
  // An unchanged level only gets a new seen time.
  const written = given.filter(
    (level) => isChanged.has(level) || isBefore(stored.get(keyOf(level))?.seenAt, seenAt),
  );
  const rows = written.map((level) => ({
    ...level,
    updatedAt: isChanged.has(level) ? now : (stored.get(keyOf(level))?.updatedAt ?? now),
    searchText: fold(`${level.sku ?? ''} ${level.title}`),
  }));
  await store.upsert(scope, source, rows, seenAt);
  const movements = changed.map((level) => ({ ...level, ...source, updatedAt: now, goneAt: null }));
  await announceMoves(
    scope,
    movements.filter((level) => hasMoved(level, stored.get(keyOf(level)))),
    announce ? movements.map((level) => eventOf(level, stored.get(keyOf(level)))) : [],
  );
  return changed.length;
}

/**
 * Call after a sync run over everything that began at `since`: levels that it did not show are
 * missing, and levels that the whole sync run before it did not show either are gone.
 * @returns how many levels are gone
 */
export async function markGone(
  scope: WriteScope,
  source: AccountSource,
  since: Instant,
  { announce }: { announce: boolean },
): Promise<number> {
  const gone = await store.markGone(scope, source, since, scope.clock.now());
  await store.markMissing(scope, source, since);
  await announceMoves(
    scope,
    gone,
    announce ? gone.map((level) => eventOf(level, { ...level, goneAt: null })) : [],
  );
  return gone.length;
}

async function announceMoves(
  scope: WriteScope,
  moved: readonly StockLevel[],
  events: readonly OutgoingEvent[],
): Promise<void> {
  await store.addHistory(scope, moved);
  await emit(scope, events);
}

const ANNOUNCED = ['sku', 'title', 'available', 'unavailable'] as const;

function eventOf(level: StockLevel, former: StockLevel | undefined): OutgoingEvent {
  const data = writeLevel(level, 'event');
  if (!former) return { type: 'inventory.updated', data };
  const changed: string[] = ANNOUNCED.filter((name) => level[name] !== former[name]);
  if ((level.goneAt === null) !== (former.goneAt === null)) changed.push('gone_at');
  return { type: 'inventory.updated', changed, data };
}

function differs(level: SourceStock, stored: store.KnownLevel | undefined): boolean {
  return hasMoved(level, stored) || stored?.sku !== level.sku || stored.title !== level.title;
}

/** The history holds quantities; a new title is no movement. */
function hasMoved(
  { available, unavailable }: Pick<SourceStock, 'available' | 'unavailable'>,
  stored: store.KnownLevel | undefined,
): boolean {
  return (
    !stored ||
    stored.goneAt !== null ||
    stored.available !== available ||
    stored.unavailable !== unavailable
  );
}

function isBefore(seen: Instant | undefined, at: Instant): boolean {
  return !seen || Temporal.Instant.compare(seen, at) < 0;
}

function keyOf(level: { itemId: string; variationId: string; warehouse: string }): string {
  return `${level.itemId}\n${level.variationId}\n${level.warehouse}`;
}

/** Writers that lock in one order do not deadlock. */
function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
