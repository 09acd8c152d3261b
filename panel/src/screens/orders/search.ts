/** The filters of the screen, as its address holds them. */
import type { Input } from '../../client.ts';
import { beginningOf, endOf } from '../../format.ts';
import { statuses } from '../../words.ts';

export interface OrderSearch {
  /** Statuses and marketplaces by commas. */
  readonly estado?: string;
  readonly marketplace?: string;
  /** Days of the organisation's time zone, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** The order in the drawer, and what tells it from its namesakes. */
  readonly orden?: string;
  readonly de?: string;
  readonly cuenta?: string;
}

const NAMES = ['estado', 'marketplace', 'desde', 'hasta', 'orden', 'de', 'cuenta'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What an address says, without what no filter knows. */
export function orderSearch(given: Record<string, unknown>): OrderSearch {
  const entries = NAMES.flatMap((name) => {
    const value = given[name];
    if (typeof value !== 'string' || value === '') return [];
    if ((name === 'desde' || name === 'hasta') && !DAY.test(value)) return [];
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}

export function listOf(text: string | undefined): string[] {
  return text ? text.split(',').filter((word) => word !== '') : [];
}

type Filters = Omit<Input<'orders.list'>, 'cursor' | 'limit'>;
type Status = keyof typeof statuses;

/** The same as the API's own parameters. */
export function filtersOf(
  { estado, marketplace, desde, hasta }: OrderSearch,
  timezone: string,
): Filters {
  const status = listOf(estado).filter((word): word is Status => Object.hasOwn(statuses, word));
  return {
    ...(status.length > 0 && { status }),
    ...(marketplace && { marketplace: listOf(marketplace) as NonNullable<Filters['marketplace']> }),
    ...(desde && { from: beginningOf(desde, timezone).toISOString() }),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}
