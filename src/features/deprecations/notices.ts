import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import type { Deprecation } from './deprecation.ts';
import * as store from './store.ts';

/** Months before the end at which the managers of keys get a mail, the smallest last. */
const MAIL_AT_MONTHS: readonly number[] = [12, 6, 1];

const ZONE = 'America/Mexico_City';

/** The mail that is due now: so many months before the end. */
export interface DueNotice {
  readonly deprecation: Deprecation;
  readonly months: number;
}

export async function dueNotices(handle: Handle, now: Instant): Promise<DueNotice[]> {
  return (await store.all(handle)).flatMap((deprecation) => {
    const months = MAIL_AT_MONTHS.filter((count) => hasCome(deprecation, count, now)).at(-1);
    return months === undefined || compareInstants(deprecation.sunsetAt, now) <= 0
      ? []
      : [{ deprecation, months }];
  });
}

function hasCome({ sunsetAt }: Deprecation, months: number, now: Instant): boolean {
  const at = sunsetAt.toZonedDateTimeISO(ZONE).subtract({ months }).toInstant();
  return compareInstants(at, now) <= 0;
}

/**
 * Call in the transaction that sends the mails of an organisation: one of several processes
 * succeeds.
 * @returns false when they were sent already
 */
export function noteNotice(
  scope: WriteScope,
  { deprecation: { version, sunsetAt }, months }: DueNotice,
): Promise<boolean> {
  return store.noteNotice(scope, version, sunsetAt, months);
}
