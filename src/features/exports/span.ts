import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { findOrganization } from '../organizations/index.ts';
import { BOOKS_TIMEZONE } from '../sales/index.ts';

interface Days {
  /** Both included; null = without that end. */
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * The first instant, and the first one after it, of days in the time zone of the organisation, as its
 * screens show them; null = without that end.
 */
export async function spanOf(
  scope: ReadScope,
  { from, to }: Days,
): Promise<readonly [Instant | null, Instant | null]> {
  if (from === null && to === null) return [null, null];
  const timezone = await timezoneOf(scope);
  const midnightOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).toInstant();
  return [
    from === null ? null : midnightOf(Temporal.PlainDate.from(from)),
    to === null ? null : midnightOf(Temporal.PlainDate.from(to).add({ days: 1 })),
  ];
}

/** The same for a filter that includes its end. */
export async function includedSpan(scope: ReadScope, days: Days) {
  const [from, end] = await spanOf(scope, days);
  return { from, to: end?.subtract({ microseconds: 1 }) ?? null };
}

export async function timezoneOf(scope: ReadScope): Promise<string> {
  const organization = await findOrganization(scope.handle, scope.organizationId);
  return organization?.timezone ?? BOOKS_TIMEZONE;
}
