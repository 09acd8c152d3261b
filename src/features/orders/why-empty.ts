import type { ReadScope } from '../../platform/db/database.ts';
import { isGiven, leavingOut } from '../../platform/input-fields.ts';
import { formatMicros } from '../../platform/time.ts';
import type { OrderFilters } from './filters.ts';
import { pageOfOrders } from './store-page.ts';

/**
 * Why a list has no orders: one of the filters, all of them together, or an organisation without
 * orders.
 */
export type EmptyCause = keyof OrderFilters | 'together' | 'nothing';

/** Queries a single order without each filter in turn; for empty lists. */
export async function whyEmpty(scope: ReadScope, filters: OrderFilters): Promise<EmptyCause[]> {
  if (!(await isThereAny(scope, leavingOut(filters)))) return ['nothing'];
  const alone: EmptyCause[] = [];
  for (const name of Object.keys(filters) as (keyof OrderFilters)[])
    if (isGiven(filters[name]) && (await isThereAny(scope, leavingOut(filters, name))))
      alone.push(name);
  return alone.length > 0 ? alone : ['together'];
}

async function isThereAny(scope: ReadScope, filters: OrderFilters): Promise<boolean> {
  const asOf = formatMicros(scope.clock.now().add({ hours: 24 }));
  const { count } = await pageOfOrders(scope, { filters, asOf, position: null, limit: 1 });
  return count > 0;
}
