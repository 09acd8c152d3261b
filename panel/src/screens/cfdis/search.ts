/** The filters of the screen, as its address holds them. */

import { fromAddress } from '../../address.ts';
import { cfdiDirections, cfdiKinds, satStatuses } from '../../cfdi-words.ts';
import type { Input } from '../../client.ts';
import { beginningOf, endOf } from '../../format.ts';

export interface CfdiSearch {
  readonly tipo?: string;
  readonly sentido?: string;
  readonly estado?: string;
  readonly rfc?: string;
  /** Days of the organisation's time zone, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** The folio of the one that is open. */
  readonly folio?: string;
}

const NAMES = ['tipo', 'sentido', 'estado', 'rfc', 'desde', 'hasta', 'folio'] as const;

export function cfdiSearch(given: Record<string, unknown>): CfdiSearch {
  return fromAddress(given, NAMES);
}

type Filters = Omit<Input<'cfdis.list'>, 'cursor' | 'limit'>;

/** The same as the API's own parameters. */
export function filtersOf(
  { tipo, sentido, estado, rfc, desde, hasta }: CfdiSearch,
  timezone: string,
): Filters {
  return {
    ...(isOneOf(cfdiKinds, tipo) && { type: tipo }),
    ...(isOneOf(cfdiDirections, sentido) && { direction: sentido }),
    ...(isOneOf(satStatuses, estado) && { status: estado }),
    ...(rfc && { rfc }),
    ...(desde && { from: beginningOf(desde, timezone).toISOString() }),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}

function isOneOf<Words extends object>(
  words: Words,
  text: string | undefined,
): text is keyof Words & string {
  return text !== undefined && Object.hasOwn(words, text);
}
