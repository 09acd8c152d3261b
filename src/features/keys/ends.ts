import type { Handle, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { fromRow, type Key } from './key.ts';
import * as store from './store.ts';

/** Days before a key's end at which its managers are notified, the nearest last. */
const MAIL_AT_DAYS: readonly number[] = [14, 3];
const [FIRST = 0] = MAIL_AT_DAYS;

/** A key that ends soon, and the day before its end for which no mail was sent yet. */
export interface EndingKey {
  readonly key: Key;
  readonly days: number;
}

/**
 * Keys of all organisations whose managers are to be notified now; where several days passed
 * without a mail, the nearest counts.
 */
export async function endingKeys(handle: Handle, now: Instant): Promise<EndingKey[]> {
  const rows = await store.endingBefore(handle, now, now.add({ hours: 24 * FIRST }));
  return rows.flatMap((row) => {
    const days = daysToMail(row, now);
    return days === null ? [] : [{ key: fromRow(row), days }];
  });
}

/** Organisations with a key that was used since then and still works. */
export function organizationsWithUsedKeys(handle: Handle, since: Instant): Promise<string[]> {
  return store.organizationsUsing(handle, since);
}

/**
 * Call in the transaction that sends the mail: one of several processes succeeds.
 * @returns false when the mail was sent meanwhile, or the key was revoked or replaced
 */
export function noteEndMailed(scope: WriteScope, { key, days }: EndingKey): Promise<boolean> {
  return store.noteEndMailed(scope, key.id, days, scope.clock.now());
}

/** A key that is made with less life than that gets no mail for that day. */
function daysToMail(row: store.EndingRow, now: Instant): number | null {
  const { created_at: made, expires_at: end, end_told_at_days: reported } = row;
  const passed = MAIL_AT_DAYS.filter((days) => {
    const at = end.subtract({ hours: 24 * days });
    return Temporal.Instant.compare(made, at) <= 0 && Temporal.Instant.compare(at, now) <= 0;
  });
  const nearest = passed.at(-1);
  return nearest === undefined || (reported !== null && reported <= nearest) ? null : nearest;
}
