import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import type { ApiVersion, Deprecation } from './deprecation.ts';
import * as store from './store.ts';

const LEAST_DAYS = 365;

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
