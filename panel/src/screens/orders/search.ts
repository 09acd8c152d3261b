/** The filters of the screen, as its address holds them. */
import { fromAddress, listOf } from '../../address.ts';
import type { Input } from '../../client.ts';
import { beginningOf, endOf } from '../../format.ts';
import { openTags, statuses } from '../../words.ts';

export interface OrderSearch {
  /** Words: an id, a tracking number, a SKU, a name, a product, an amount. */
  readonly buscar?: string;
  /** Statuses and marketplaces by commas. */
  readonly estado?: string;
  readonly marketplace?: string;
  /** The marketplace's own words, by commas. */
  readonly pago?: string;
  readonly surtido?: string;
  /** Returns and claims that are open, by commas. */
  readonly posventa?: string;
  /** Days of the organisation's time zone, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** The order in the drawer: its id, and its marketplace and account where ids repeat. */
  readonly orden?: string;
  readonly de?: string;
  readonly cuenta?: string;
  /** The query of the payout that led to the order. */
  readonly origen?: string;
}

/** What narrows the list. */
export const FILTERS = [
  'buscar',
  'estado',
  'marketplace',
  'pago',
  'surtido',
  'posventa',
  'desde',
  'hasta',
] as const;
const NAMES = [...FILTERS, 'orden', 'de', 'cuenta', 'origen'] as const;

export function orderSearch(given: Record<string, unknown>): OrderSearch {
  return fromAddress(given, NAMES);
}

type Filters = Omit<Input<'orders.list'>, 'cursor' | 'limit'>;
type Status = keyof typeof statuses;
type OpenTag = keyof typeof openTags;

/** The same as the API's own parameters. */
export function filtersOf(
  { buscar, estado, marketplace, pago, surtido, posventa, desde, hasta }: OrderSearch,
  timezone: string,
): Filters {
  const status = listOf(estado).filter((word): word is Status => Object.hasOwn(statuses, word));
  const tag = listOf(posventa).filter((word): word is OpenTag => Object.hasOwn(openTags, word));
  return {
    ...(buscar && { search: buscar }),
    ...(pago && { payment_status: listOf(pago) }),
    ...(surtido && { fulfillment_status: listOf(surtido) }),
    ...(status.length > 0 && { status }),
    ...(tag.length > 0 && { tag }),
    ...(marketplace && { marketplace: listOf(marketplace) as NonNullable<Filters['marketplace']> }),
    ...(desde && { from: beginningOf(desde, timezone).toISOString() }),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}

/** Whether the API's own list has these filters. */
export function isInApi(filters: Filters): boolean {
  const { search, payment_status, fulfillment_status, tag } = filters;
  return [search, payment_status, fulfillment_status, tag].every((given) => given === undefined);
}

/** The filters alone, as the query of the screen's address: what a saved view keeps. */
export function queryOfFilters(search: OrderSearch): string {
  const given = FILTERS.flatMap((name) => (search[name] ? [[name, search[name]]] : []));
  return new URLSearchParams(given as string[][]).toString();
}

/** The filters of a saved view, and none of the others. */
export function filtersOfView(query: string): OrderSearch {
  const none = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
  return { ...none, ...orderSearch(Object.fromEntries(new URLSearchParams(query))) };
}
