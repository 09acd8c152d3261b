import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { choices, type GivenBy, instant, wording } from '../../platform/input-fields.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { makeCursor, openCursor, type PageQuery, type Walk } from '../../platform/walk-cursor.ts';
import { bodyOf, type EventType, LOGGED_TYPES } from './event.ts';
import { KEEP_DAYS } from './store.ts';
import { deliveredEvent, type EventRow, latestEvents, pageOfEvents } from './store-log.ts';

export const EVENT_FILTERS = {
  type: choices(LOGGED_TYPES, 'Solo de estos tipos.', ['order.created', 'order.status_changed']),
  since: instant(
    'Registrados en este instante o después; sin él, desde el más antiguo que muestra tu plan.',
    '2026-11-20T00:00:00Z',
  ),
  object_id: wording(
    'Solo los de este objeto: el `id` de su `data`, o `uuid`, `item_id`, `line_id` o `endpoint_id` si no trae `id`.',
    '2000009876543210',
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
  /**
   * What was logged before it and after the cursor is left out, since the plan does not show it any
   * more; null = nothing is.
   */
  readonly gapUntil: Instant | null;
}

const WALK: Walk<EventFilters> = { kind: 'events', instants: { since: true } };

/**
 * The page of a client that has read the whole log, without a query.
 * @param logged the organisation's event clock, as far as it is known; null = it is not
 * @returns null where there may be more
 * @throws Failure invalid_cursor
 */
export function nothingNew(
  organizationId: string,
  cursors: CursorMaker,
  { limit: _, cursor, ...given }: EventFilters & PageQuery,
  logged: Instant | null,
): EventPage | null {
  if (cursor === null || logged === null) return null;
  const { position } = openCursor<EventFilters, [number]>(
    ...[WALK, organizationId, cursors, cursor, given],
  );
  if (position[0] < epochMicros(logged)) return null;
  return { events: [], nextCursor: cursor, hasMore: false, gapUntil: null };
}

/**
 * The event log in the order of commits. A client that goes on from its last cursor misses nothing
 * but what is older than the plan shows, and learns of that.
 * @param days how far back the plan shows it
 * @param logged the event clock as it was before this read; null = it is not known
 * @throws Failure invalid_cursor
 */
export async function listEvents(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...given }: EventFilters & PageQuery,
  days: number,
  logged: Instant | null,
): Promise<EventPage> {
  const { organizationId } = scope;
  const opened =
    cursor === null
      ? null
      : openCursor<EventFilters, [number]>(WALK, organizationId, cursors, cursor, given);
  const filters = opened?.filters ?? given;
  const after = opened?.position[0] ?? null;
  const rows = await rowsAfter(scope, filters, { after, days, limit: limit + 1 });
  const events = rows.slice(0, limit).map((row) => loggedOf(scope, row));
  const hasMore = rows.length > limit;
  const last = events.at(-1);
  const read = last ? epochMicros(last.loggedAt) : after;
  // Up to the clock there is nothing else that the filters let through.
  const next = hasMore || logged === null ? read : Math.max(read ?? 0, epochMicros(logged));
  return {
    events,
    nextCursor: next === null ? null : makeCursor(WALK, organizationId, cursors, filters, [next]),
    hasMore,
    gapUntil: after === null ? null : await gapAfter(scope, filters, after, days),
  };
}

/** Also where what was logged after the cursor may be removed already. */
async function gapAfter(
  scope: ReadScope,
  { type, objectId }: EventFilters,
  position: number,
  days: number,
): Promise<Instant | null> {
  const oldest = oldestShown(scope, days);
  const after = fromEpochMicros(position);
  if (Temporal.Instant.compare(after, oldest) >= 0) return null;
  if (Temporal.Instant.compare(after, oldestShown(scope, KEEP_DAYS)) < 0) return oldest;
  const [next] = await pageOfEvents(scope, { type, objectId, from: after, after, limit: 1 });
  return next && Temporal.Instant.compare(next.logged_at, oldest) < 0 ? oldest : null;
}

/**
 * The event log from its newest event back, for people.
 * @param before its position in the log; null = from the newest on
 * @param days how far back the plan shows it
 */
export async function recentEvents(
  scope: ReadScope,
  page: {
    /** Null = all. */
    readonly type: EventType | null;
    /** Null = of any object. */
    readonly objectId: string | null;
    readonly before: Instant | null;
    readonly limit: number;
  },
  days: number,
): Promise<LoggedEvent[]> {
  const rows = await latestEvents(scope, { ...page, from: oldestShown(scope, days) });
  return rows.map((row) => loggedOf(scope, row));
}

/**
 * The event of an attempt.
 * @param days how far back the plan shows it
 * @throws Failure not_found
 */
export async function eventAt(
  scope: ReadScope,
  endpointId: string,
  eventId: string,
  days: number,
): Promise<LoggedEvent> {
  const row = await deliveredEvent(scope, endpointId, eventId);
  if (row && Temporal.Instant.compare(row.logged_at, oldestShown(scope, days)) >= 0)
    return loggedOf(scope, row);
  throw fail('not_found', { message: `Ese evento no está entre los de los últimos ${days} días.` });
}

function rowsAfter(
  scope: ReadScope,
  { type, since, objectId }: EventFilters,
  page: { readonly after: number | null; readonly days: number; readonly limit: number },
): Promise<EventRow[]> {
  const oldest = oldestShown(scope, page.days);
  const from = since && Temporal.Instant.compare(since, oldest) > 0 ? since : oldest;
  const after = page.after === null ? null : fromEpochMicros(page.after);
  return pageOfEvents(scope, { type, objectId, from, after, limit: page.limit });
}

function oldestShown({ clock }: ReadScope, days: number): Instant {
  return clock.now().subtract({ hours: 24 * days });
}

function loggedOf({ organizationId }: ReadScope, row: EventRow): LoggedEvent {
  const { id, type, created_at: at, data, envelope } = row;
  return {
    id,
    type,
    at,
    loggedAt: row.logged_at,
    body: bodyOf({ organizationId, id, type, at, loggedAt: row.logged_at, data, envelope }),
  };
}
