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

/** Orders created from `from` on and before `to`, newest first; a batch of them is held at a time. */
export async function* ordersOfPeriod(
  scope: ReadScope,
  period: { readonly from: Instant; readonly to: Instant },
): AsyncGenerator<PublicOrder> {
  for (let last: store.CreatedOrder | null = null; ; ) {
    const rows: store.CreatedOrder[] = await store.storedOfPeriod(scope, period, last, BATCH);
    for (const { detail_json } of rows) yield readDetail(detail_json);
    if (rows.length < BATCH) return;
    last = rows.at(-1) ?? null;
    // A batch takes a while: other requests run in between.
    await othersTurn();
  }
}
