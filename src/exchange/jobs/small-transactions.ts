import type {
  Handle,
  OrganizationDatabase,
  WriteHandle,
  WriteScope,
} from '../../platform/db/database.ts';
import type { ExchangeParts } from '../parts.ts';
import { HandedBack } from '../wire/errors.ts';

// Work on many rows in small transactions, one after the other.

/** Between two transactions, so that housekeeping never occupies the database alone. */
export const PAUSE_MS = 20;
/** The rest is done an hour later. */
const STEP_MS = 5 * 60_000;

/** Runs transactions until one processed fewer rows than its limit. */
export async function inSmallTransactions(
  { database, clock }: ExchangeParts,
  limit: number,
  work: (handle: WriteHandle, limit: number) => Promise<number>,
): Promise<void> {
  const startedAt = clock.monotonic();
  while ((await database.write((handle) => work(handle, limit))) === limit) {
    if (clock.monotonic() - startedAt > STEP_MS) return;
    await clock.sleep(PAUSE_MS);
  }
}

/** The same for each organisation, by transactions of its own. */
export function forEach(
  parts: ExchangeParts,
  organizations: (handle: Handle) => Promise<string[]>,
  limit: number,
  work: (scope: WriteScope, limit: number) => Promise<number>,
): Promise<void> {
  return forEachOrganization(parts, organizations, limit, (organization, most) =>
    organization.write((scope) => work(scope, most)),
  );
}

/** An organisation that fails, such as one whose key does not open, does not stop the others. */
export async function forEachOrganization(
  { database, clock, log }: ExchangeParts,
  organizations: (handle: Handle) => Promise<string[]>,
  limit: number,
  work: (organization: OrganizationDatabase, limit: number) => Promise<number>,
): Promise<void> {
  const startedAt = clock.monotonic();
  const failures: unknown[] = [];
  for (const organizationId of await database.search(organizations)) {
    const some = () => work(database.within(organizationId), limit);
    try {
      while ((await some()) === limit) {
        if (clock.monotonic() - startedAt > STEP_MS) return;
        await clock.sleep(PAUSE_MS);
      }
    } catch (error) {
      if (error instanceof HandedBack) throw error;
      log
        .of('jobs')
        .error({ organization: organizationId, err: error }, 'step failed for an organisation');
      failures.push(error);
      // Of a server that went away meanwhile each organisation waits for a time-out of its own.
      if (clock.monotonic() - startedAt > STEP_MS) break;
    }
    await clock.sleep(PAUSE_MS);
  }
  if (failures.length > 0) throw new AggregateError(failures, 'step failed for some organisations');
}
