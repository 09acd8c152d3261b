import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { getEndpoint } from './endpoints.ts';
import { type AttemptRow, pageOfAttempts } from './store-attempts.ts';

/** A request to an endpoint. */
export interface Attempt {
  readonly id: string;
  readonly at: Instant;
  readonly eventId: string;
  readonly eventType: string;
  /** The first one of an event is 1. */
  readonly number: number;
  readonly outcome: string;
  /** Null = there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** Its beginning, 16 KB at most. */
  readonly answer: string;
}

interface AttemptPage {
  readonly attempts: readonly Attempt[];
  readonly nextCursor: string | null;
}

const WALK: RowWalk<{ endpointId: string }, Attempt, readonly [number, string]> = {
  kind: 'webhook-attempts',
  instants: {},
  positionOf: ({ at, id }) => [epochMicros(at), id],
};

/** Newest first; also of an endpoint that was deleted. @throws Failure invalid_cursor, not_found */
export async function listAttempts(
  scope: ReadScope,
  cursors: CursorMaker,
  query: { readonly endpointId: string } & PageQuery,
): Promise<AttemptPage> {
  const { rows, nextCursor } = await readPage(WALK, scope, cursors, query, async (request) => {
    const { endpointId, after, limit } = request;
    const before = after && { at: fromEpochMicros(after[0]), id: after[1] };
    return (await pageOfAttempts(scope, endpointId, before, limit)).map(attemptOf);
  });
  if (rows.length === 0) await getEndpoint(scope, query.endpointId);
  return { attempts: rows, nextCursor };
}

function attemptOf(row: AttemptRow): Attempt {
  const { id, at, outcome, status, milliseconds, answer } = row;
  const event = { eventId: row.event_id, eventType: row.event_type };
  return { id, at, ...event, number: row.try, outcome, status, milliseconds, answer };
}
