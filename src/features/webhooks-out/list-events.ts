import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { choices, type GivenBy, instant } from '../../platform/input-fields.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { makeCursor, openCursor, type PageQuery, type Walk } from '../../platform/walk-cursor.ts';
import { bodyOf, type EventType, LOGGED_TYPES } from './event.ts';
import { deliveredEvent, type EventRow, latestEvents, pageOfEvents } from './store-log.ts';

export const EVENT_FILTERS = {
  type: choices(LOGGED_TYPES, 'Solo de estos tipos.', ['order.created', 'order.status_changed']),
  since: instant(
    'Registrados en este instante o después; sin él, desde el más antiguo que se conserva.',
    '2026-11-20T00:00:00Z',
  ),
};
type EventFilters = GivenBy<typeof EVENT_FILTERS>;

export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly loggedAt: Instant;
  /** As deliveries send it: JSON text. */
  readonly body: string;
}

interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Also after the last page, where it leads to what comes later; null = nothing was logged yet. */
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

const WALK: Walk<EventFilters> = { kind: 'events', instants: { since: true } };

/**
 * The event log in the order of commits. A client that goes on from its last cursor misses nothing.
 * @param days how far back the plan shows it
 * @throws Failure invalid_cursor
 */
export async function listEvents(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...given }: EventFilters & PageQuery,
  days: number,
): Promise<EventPage> {
  const { organizationId } = scope;
  const opened =
    cursor === null
      ? null
      : openCursor<EventFilters, [number]>(WALK, organizationId, cursors, cursor, given);
  const filters = opened?.filters ?? given;
  const place = opened?.place[0] ?? null;
  const rows = await rowsAfter(scope, filters, { place, days, limit: limit + 1 });
  const events = rows.slice(0, limit).map((row) => loggedOf(scope, row));
  const last = events.at(-1);
  const next = last ? epochMicros(last.loggedAt) : place;
  return {
    events,
    nextCursor: next === null ? null : makeCursor(WALK, organizationId, cursors, filters, [next]),
    hasMore: rows.length > limit,
  };
}

/**
 * The event log from its newest event back, for people.
 * @param before its place in the log; null = from the newest on
 * @param days how far back the plan shows it
 */
export async function recentEvents(
  scope: ReadScope,
  page: {
    /** Null = all. */
    readonly type: EventType | null;
    readonly before: Instant | null;
    readonly limit: number;
  },
  days: number,
): Promise<LoggedEvent[]> {
  const rows = await latestEvents(scope, { ...page, from: oldestShown(scope, days) });
  return rows.map((row) => loggedOf(scope, row));
}

/** The event of an attempt. @throws Failure not_found */
export async function eventAt(
  scope: ReadScope,
  endpointId: string,
  eventId: string,
): Promise<LoggedEvent> {
  const row = await deliveredEvent(scope, endpointId, eventId);
  if (row) return loggedOf(scope, row);
  throw fail('not_found', { message: 'Ese evento ya no se conserva.' });
}

function rowsAfter(
  scope: ReadScope,
  { type, since }: EventFilters,
  page: { readonly place: number | null; readonly days: number; readonly limit: number },
): Promise<EventRow[]> {
  const oldest = oldestShown(scope, page.days);
  const from = since && Temporal.Instant.compare(since, oldest) > 0 ? since : oldest;
  const after = page.place === null ? null : fromEpochMicros(page.place);
  return pageOfEvents(scope, { type, from, after, limit: page.limit });
}

function oldestShown({ clock }: ReadScope, days: number): Instant {
  return clock.now().subtract({ hours: 24 * days });
}

function loggedOf({ organizationId }: ReadScope, row: EventRow): LoggedEvent {
  const { id, type, created_at: at, data, envelope } = row;
  return {
    ...{ id, type, at },
    loggedAt: row.logged_at,
    body: bodyOf({ organizationId, id, type, at, loggedAt: row.logged_at, data, envelope }),
  };
}
