/** The filters of the screen, as its address holds them. */

import { fromAddress } from '../../address.ts';
import { cfdiDirections, cfdiStatuses, cfdiTypes } from '../../cfdi-words.ts';
import type { Input } from '../../client.ts';
import { beginningOf, endOf } from '../../format.ts';
import { plusDays, todayIn } from '../sales/periods.ts';

export const VIEWS = ['cfdi', 'pendientes', 'global'] as const;

/** CFDI follow sync runs and uploads, which the organisation's clock does not cover. */
export const AGAIN_MS = 60_000;

export interface CfdiSearch {
  /** One of `VIEWS`; the documents where it is none of them. */
  readonly vista?: string;
  /** A marketplace, of orders without a CFDI. */
  readonly canal?: string;
  readonly tipo?: string;
  readonly sentido?: string;
  readonly estado?: string;
  readonly rfc?: string;
  /** The folio that is looked for. */
  readonly uuid?: string;
  /** Days of the organisation's time zone, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** The folio of the one that is open. */
  readonly folio?: string;
}

const NAMES = [
  ...['vista', 'canal', 'tipo', 'sentido', 'estado', 'rfc', 'uuid'],
  ...['desde', 'hasta', 'folio'],
] as (keyof CfdiSearch)[];

export function cfdiSearch(given: Record<string, unknown>): CfdiSearch {
  return fromAddress(given, NAMES);
}

type Filters = Omit<Input<'cfdis.list'>, 'cursor' | 'limit'>;

/** The same as the API's own parameters. */
export function filtersOf(
  { tipo, sentido, estado, rfc, uuid, desde, hasta }: CfdiSearch,
  timezone: string,
): Filters {
  return {
    ...(isOneOf(cfdiTypes, tipo) && { type: tipo }),
    ...(isOneOf(cfdiDirections, sentido) && { direction: sentido }),
    ...(isOneOf(cfdiStatuses, estado) && { status: estado }),
    ...(rfc && { rfc }),
    ...(uuid && { uuid }),
    ...(desde && { from: beginningOf(desde, timezone).toISOString() }),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}

export function viewOf({ vista }: CfdiSearch): (typeof VIEWS)[number] {
  return VIEWS.find((one) => one === vista) ?? 'cfdi';
}

type UninvoicedFilters = Omit<Input<'cfdis.uninvoiced'>, 'cursor' | 'limit'>;

/** So far the lists of orders without a CFDI look back; `uninvoicedWords` name it too. */
const LOOK_BACK_DAYS = 400;

/** The days that a list of orders without a CFDI shows, and its file takes. */
export function uninvoicedDays({ desde, hasta }: CfdiSearch, today: string) {
  return { desde: desde ?? plusDays(hasta ?? today, -LOOK_BACK_DAYS), hasta };
}

export function uninvoicedOf(
  search: CfdiSearch,
  view: 'pendientes' | 'global',
  timezone: string,
): UninvoicedFilters {
  const { canal } = search;
  const { desde, hasta } = uninvoicedDays(search, todayIn(timezone, Date.now()));
  return {
    kind: view === 'global' ? 'public' : 'pending',
    ...(canal && { marketplace: canal as NonNullable<UninvoicedFilters['marketplace']> }),
    from: beginningOf(desde, timezone).toISOString(),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}

/** The first and the last day of a month, `2026-10`. */
export function daysOf(month: string): { desde: string; hasta: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
  return { desde: `${month}-01`, hasta: last };
}

function isOneOf<Words extends object>(
  words: Words,
  text: string | undefined,
): text is keyof Words & string {
  return text !== undefined && Object.hasOwn(words, text);
}
