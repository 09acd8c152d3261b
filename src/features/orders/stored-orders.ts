import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { PublicOrder } from './order.ts';
import { readDetail } from './public/render.ts';
import { holdClock } from './store-clock.ts';
import type { KeyRow } from './store-keys.ts';
import * as store from './store-walks.ts';

const BATCH = 500;
const BEFORE_ALL = { marketplace: '', account_id: '', id: '' };

/** All stored orders of the organisation, locked against changes. */
export async function* everyOrder(scope: WriteScope): AsyncGenerator<PublicOrder> {
  await holdClock(scope);
  for (let last: KeyRow | undefined = BEFORE_ALL; last; ) {
    const rows: store.StoredOrder[] = await store.storedAfter(scope, last, BATCH);
    for (const { detail_json } of rows) yield readDetail(detail_json);
    last = rows.at(-1);
  }
}

/**
 * Orders created from `from` on and before `to`, newest first, up to a limit; they are read one by
 * one.
 */
export async function ordersOfPeriod(
  scope: ReadScope,
  from: Instant,
  to: Instant,
  limit: number,
): Promise<{ count: number; orders: AsyncGenerator<PublicOrder> }> {
  const rows = await store.storedOfPeriod(scope, from, to, limit);
  return { count: rows.length, orders: readInTurns(rows) };
}

/** A year of orders takes a second: other requests run in between. */
async function* readInTurns(rows: readonly store.StoredOrder[]): AsyncGenerator<PublicOrder> {
  for (const [index, { detail_json }] of rows.entries()) {
    if (index % BATCH === BATCH - 1) await othersTurn();
    yield readDetail(detail_json);
  }
}
