/** What the address of the screen holds. */
import { isDay } from '../../address.ts';
import type { Input } from '../../client.ts';
import { beginningOf, endOf } from '../../format.ts';
import { carriers, categories } from './words.ts';

export interface ShipmentSearch {
  /** Events without a shipment instead of the shipments. */
  readonly ver?: 'sin-envio';
  /** A tracking or guide number, exactly. */
  readonly numero?: string;
  /** The id of an order, exactly. */
  readonly orden?: string;
  readonly paqueteria?: keyof typeof carriers;
  readonly categoria?: keyof typeof categories;
  /** Days of the organisation's time zone, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** The shipment in the drawer. */
  readonly envio?: string;
  readonly de?: string;
  readonly cuenta?: string;
}

export const FILTERS = ['numero', 'orden', 'paqueteria', 'categoria', 'desde', 'hasta'] as const;

/** What an address says, without what the screen does not know. */
export function shipmentSearch(given: Record<string, unknown>): ShipmentSearch {
  const { ver, paqueteria, categoria, desde, hasta } = given;
  const texts = ['numero', 'orden', 'envio', 'de', 'cuenta'].flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  return {
    ...Object.fromEntries(texts),
    ...(ver === 'sin-envio' && { ver }),
    ...(isOneOf(carriers, paqueteria) && { paqueteria }),
    ...(isOneOf(categories, categoria) && { categoria }),
    ...(isDay(desde) && { desde }),
    ...(isDay(hasta) && { hasta }),
  };
}

type Filters = Omit<Input<'shipments.list'>, 'cursor' | 'limit'>;

/** The same as the API's own parameters. */
export function filtersOf(
  { numero, orden, paqueteria, categoria, desde, hasta }: ShipmentSearch,
  timezone: string,
): Filters {
  return {
    ...(numero && { tracking_number: numero }),
    ...(orden && { order_id: orden }),
    ...(paqueteria && { carrier: paqueteria }),
    ...(categoria && { category: [categoria] }),
    ...(desde && { from: beginningOf(desde, timezone).toISOString() }),
    ...(hasta && { to: endOf(hasta, timezone).toISOString() }),
  };
}

function isOneOf<Words extends object>(words: Words, value: unknown): value is keyof Words {
  return typeof value === 'string' && Object.hasOwn(words, value);
}
