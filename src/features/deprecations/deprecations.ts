import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import type { ApiVersion, Deprecation } from './deprecation.ts';
import * as store from './store.ts';

/** Months before the end at which the managers of keys get a mail, the smallest last. */
const MAIL_AT_MONTHS: readonly number[] = [12, 6, 1];
const LEAST_DAYS = 365;
const ZONE = 'America/Mexico_City';

/**
 * Announces the end of a version, or moves an announced one; the announcement keeps its time.
 * @throws Failure invalid_request where the end is less than a year after the announcement, or
 * moves to a time that has passed
 */
export async function deprecate(
  handle: WriteHandle,
  { version, sunsetAt, successor }: Omit<Deprecation, 'deprecatedAt'>,
  now: Instant,
): Promise<Deprecation> {
  const known = await findDeprecation(handle, version);
  const deprecatedAt = known?.deprecatedAt ?? now;
  if (compareInstants(sunsetAt, deprecatedAt.add({ hours: 24 * LEAST_DAYS })) < 0)
    throw invalid('sunset', `Entre el aviso y el retiro debe haber al menos ${LEAST_DAYS} días.`);
  if (compareInstants(sunsetAt, now) <= 0)
    throw invalid('sunset', 'La fecha de retiro debe estar en el futuro.');
  const announced = { version, deprecatedAt, sunsetAt, successor };
  await store.put(handle, announced);
  return announced;
}

/** @returns null where no end is announced */
async function findDeprecation(handle: Handle, version: ApiVersion): Promise<Deprecation | null> {
  return (await store.all(handle)).find((one) => one.version === version) ?? null;
}

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

/** The announced end of a version, from memory: every answer needs it. */
interface DeprecationMemory {
  current(): Deprecation | null;
}

const LOOK_EVERY_MS = 30_000;

/** Reads it now, and again every half minute; while the database is away the last one holds. */
export async function rememberDeprecation(
  database: Database,
  clock: Clock,
  version: ApiVersion,
  onError: (error: unknown) => void,
): Promise<DeprecationMemory> {
  const read = () => database.read((handle) => findDeprecation(handle, version));
  let known = await read();
  let readAt = clock.monotonic();
  return {
    current() {
      if (clock.monotonic() - readAt >= LOOK_EVERY_MS) {
        readAt = clock.monotonic();
        read()
          .then((found) => {
            known = found;
          })
          .catch(onError);
      }
      return known;
    },
  };
}
