import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { announcingState } from './announce-state.ts';
import * as store from './store.ts';

/**
 * `access`: the credentials. `renewal`: the refresh token. `permission`: the right to read what the
 * connection is for.
 */
export type Refused = 'access' | 'renewal' | 'permission';

/** A refusal that still holds. */
export interface Refusal {
  readonly what: Refused;
  readonly since: Instant;
  /** Refusals of the same few minutes count once. */
  readonly times: number;
}

/** Refusals closer together than this are one. */
const APART = { minutes: 4 };

/**
 * Whether jobs skip the account: it was disconnected or paused, or its access is refused and is
 * retried on its own schedule.
 */
export function isParked({
  state,
  refusal,
}: {
  readonly state: string;
  readonly refusal: Refusal | null;
}) {
  return refusal !== null || ['reauth_required', 'paused', 'disconnected'].includes(state);
}

/**
 * @returns how often it was refused, and whether this time counted; null = the account was
 * disconnected meanwhile
 */
export async function countRefusal(
  scope: WriteScope,
  id: string,
  what: Refused,
): Promise<{ times: number; isCounted: boolean } | null> {
  const row = await store.lockedById(scope, id);
  if (!row || row.state === 'disconnected') return null;
  const former = refusalIn(row);
  const now = scope.clock.now();
  const isCounted = !former || Temporal.Instant.compare(former.since.add(APART), now) <= 0;
  const times = (former?.times ?? 0) + (isCounted ? 1 : 0);
  const since = former?.since ?? now;
  await store.update(scope, id, {
    refused_what: what,
    refused_at: since.toString(),
    refusals: times,
  });
  return { times, isCounted };
}

/** Ends the refusal of an access that is accepted again. @returns whether it had been refused */
export async function endRefusal(scope: WriteScope, id: string): Promise<boolean> {
  const row = await store.lockedById(scope, id);
  if (!row || refusalIn(row) === null) return false;
  const updated_at = scope.clock.now().toString();
  const values = { ...store.NOT_REFUSED, state: 'ok', state_message: null, updated_at };
  await announcingState(scope, id, () => store.update(scope, id, values));
  return true;
}

export function refusalIn(row: store.ConnectionRow): Refusal | null {
  const { refused_at: since, refused_what: what, refusals: times } = row;
  return since && { what: what as Refused, since, times };
}
