import type { ReadScope } from '../../platform/db/database.ts';
import { formatMicros } from '../../platform/time.ts';
import { type OrderFilters, pageOfOrders } from './store-page.ts';

/** What left a list without orders: one of the filters, all of them together, or that there are no orders. */
export type EmptyCause = keyof OrderFilters | 'together' | 'nothing';

const NO_FILTERS: OrderFilters = {
  from: null,
  to: null,
  updatedSince: null,
  status: [],
  marketplace: [],
  accountId: [],
};

/** Asks again without each filter for a single order; for lists that came out empty. */
export async function whyEmpty(scope: ReadScope, filters: OrderFilters): Promise<EmptyCause[]> {
  if (!(await isThereAny(scope, NO_FILTERS))) return ['nothing'];
  const alone: EmptyCause[] = [];
  for (const name of Object.keys(NO_FILTERS) as (keyof OrderFilters)[])
    if (isGiven(filters[name]) && (await isThereAny(scope, { ...filters, [name]: NO_FILTERS[name] })))
      alone.push(name);
  return alone.length > 0 ? alone : ['together'];
}

async function isThereAny(scope: ReadScope, filters: OrderFilters): Promise<boolean> {
  const asOf = formatMicros(scope.clock.now().add({ hours: 24 }));
  const { count } = await pageOfOrders(scope, { filters, asOf, position: null, limit: 1 });
  return count > 0;
}

function isGiven(value: OrderFilters[keyof OrderFilters]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}
