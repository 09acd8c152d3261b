import type { ReadScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { countOrdersOf, ordersOfPeriod } from '../orders/index.ts';
import { addOrder, BOOKS_TIMEZONE, emptySums, type Sums } from './sums.ts';

/** An order that is read takes some 70 µs. The offered time zones read less than a tenth of all orders. */
const MOST_ORDERS = 100_000;

/** How the days of a period are put together: a group begins on some of them. */
type GroupsOfDays = 'day' | 'week' | 'month' | 'none';

interface Days {
  /** Both included. */
  readonly from: string;
  readonly to: string;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** What lies between the days of the books and those of another time zone. */
export interface MovedDays {
  /** Beside those of the books they give the sums of the groups in the other time zone. */
  readonly sums: Sums;
  /** Whether all groups begin and end as in the books: in Monterrey, for one, they do. */
  readonly isNone: boolean;
}

/**
 * Orders between midnight of the books and that of the time zone are taken from their day in the books and
 * added to the other one; where no group begins, the two days are in one sum anyway.
 * @throws Failure invalid_request where they are too many
 */
export async function movedDays(
  scope: ReadScope,
  period: Days,
  groups: GroupsOfDays,
  timezone: string,
  mostOrders = MOST_ORDERS,
): Promise<MovedDays> {
  const taken = emptySums();
  const given = { ...taken, timezone };
  const spans = spansOf(period, groups, timezone);
  if (spans.length > 0 && (await countOrdersOf(scope, spans)) > mostOrders) throw tooMany(groups);
  for (const span of spans)
    for await (const order of ordersOfPeriod(scope, span)) {
      addOrder(taken, order, -1);
      addOrder(given, order, 1);
    }
  return { sums: taken, isNone: spans.length === 0 };
}

function spansOf({ from, to }: Days, groups: GroupsOfDays, timezone: string): Span[] {
  if (timezone === BOOKS_TIMEZONE) return [];
  const first = Temporal.PlainDate.from(from);
  const end = Temporal.PlainDate.from(to).add({ days: 1 });
  const spans: Span[] = [];
  for (let day = first; Temporal.PlainDate.compare(day, end) < 0; day = nextOf(day, groups, end))
    spans.push(spanAt(day, timezone));
  return [...spans, spanAt(end, timezone)].filter(({ from, to }) => !from.equals(to));
}

/** The day with which the next group begins, or the end. */
function nextOf(
  day: Temporal.PlainDate,
  groups: GroupsOfDays,
  end: Temporal.PlainDate,
): Temporal.PlainDate {
  if (groups === 'day') return day.add({ days: 1 });
  if (groups === 'week') return day.add({ weeks: 1 }).subtract({ days: day.dayOfWeek - 1 });
  if (groups === 'month') return day.with({ day: 1 }).add({ months: 1 });
  return end;
}

function spanAt(day: Temporal.PlainDate, timezone: string): Span {
  const [from, to] = [BOOKS_TIMEZONE, timezone]
    .map((zone) => day.toZonedDateTime(zone).toInstant())
    .sort(Temporal.Instant.compare) as [Instant, Instant];
  return { from, to };
}

function tooMany(groups: GroupsOfDays) {
  return groups === 'day'
    ? invalid(
        'group_by',
        'En ese periodo hay demasiadas órdenes para agruparlas por día en esta zona horaria. ' +
          'Agrúpalas por semana o por mes, o acorta el periodo.',
      )
    : invalid(
        'to',
        'En ese periodo hay demasiadas órdenes para esta zona horaria. Acorta el periodo.',
      );
}
