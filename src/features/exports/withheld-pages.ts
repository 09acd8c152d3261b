import type { ReadScope } from '../../platform/db/database.ts';
import {
  everyWithheldLine,
  type PositionOfWithheld,
  withheldPeriods,
  writeWithheld,
  writeWithheldLine,
} from '../findings/index.ts';
import { timezoneOf } from './span.ts';
import type { ExportTerms } from './terms.ts';

/** Each page adds up the whole period of a marketplace. */
const LINES = 1_000;

export async function pageOfWithheld(scope: ReadScope) {
  const periods = await withheldPeriods(scope, await timezoneOf(scope));
  return { rows: periods.map((period) => writeWithheld(period, 'detail')), next: null };
}

/** The movements of the days, a row for each order of an account. */
export async function pageOfWithheldLines(
  scope: ReadScope,
  position: unknown,
  { from, to, marketplace }: Pick<ExportTerms, 'from' | 'to' | 'marketplace'>,
) {
  const end = to && Temporal.PlainDate.from(to).add({ days: 1 }).toString();
  const days = { from, end, timezone: await timezoneOf(scope) };
  const after = position as PositionOfWithheld | null;
  const { lines, next } = await everyWithheldLine(scope, days, marketplace, after, LINES);
  return { rows: lines.map((line) => writeWithheldLine(line, 'detail')), next };
}
