import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import { publishStamp } from '../../platform/db/stamp-cache.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * Locks the organisation's clock until the end of the transaction, and moves it by `$3`
 * microseconds.
 */
const TAKE = statement<Pick<Rows['delta_clocks'], 'stamp'>>(
  'orders.take-clock',
  `insert into delta_clocks as clock (organization_id, stamp)
   values ($1, $2::timestamptz + ($3::int - 1) * interval '1 microsecond')
   on conflict (organization_id) do update
     set stamp = greatest(
       (clock.stamp at time zone 'UTC' + $3::int * interval '1 microsecond') at time zone 'UTC',
       excluded.stamp)
   returning stamp`,
);

/**
 * Locks the clock and reserves stamps for `count` changes. Every process is notified a moment after
 * the commit.
 * @returns the stamp of the first change; each further one is a microsecond later
 */
export async function takeClock(scope: WriteScope, count: number): Promise<Instant> {
  const [row] = await scope.prepared(TAKE, [scope.clock.now().toString(), count]);
  if (!row) throw new Error('the clock row gave no stamp');
  publishStamp(scope, row.stamp);
  return row.stamp.subtract({ microseconds: count - 1 });
}

const READ = statement<{ stamp: string }>(
  'orders.read-clock',
  'select stamp::text as stamp from delta_clocks where organization_id = $1',
);

/** The organisation's clock; null when no order was ever recorded. */
export async function readClock(scope: ReadScope): Promise<Instant | null> {
  const [row] = await scope.prepared(READ, []);
  return row ? Temporal.Instant.from(row.stamp) : null;
}

const ENSURE = statement<object>(
  'orders.ensure-clock',
  `insert into delta_clocks as clock (organization_id, stamp) values ($1, $2::timestamptz)
   on conflict (organization_id) do update set stamp = clock.stamp`,
);

/**
 * Locks the clock without moving it, before the first order too: the row exists afterwards, so that
 * another transaction waits for this one.
 */
export async function ensureClock(scope: WriteScope): Promise<void> {
  await scope.prepared(ENSURE, [scope.clock.now().toString()]);
}

const HOLD = statement<object>(
  'orders.hold-clock',
  'select stamp from delta_clocks where organization_id = $1 for update',
);

/** Locks the clock without moving it: no other transaction changes an order until this one ends. */
export async function holdClock(scope: WriteScope): Promise<void> {
  await scope.prepared(HOLD, []);
}
