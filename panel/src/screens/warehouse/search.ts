/** What the address of the screen holds. */
import type { Input } from '../../client.ts';
import { tabs } from './words.ts';

export type Tab = keyof typeof tabs;
export const TABS = Object.keys(tabs) as readonly Tab[];

/** In the place of a batch: the list of the last ones. */
export const RECENT = 'recientes';

export interface WarehouseSearch {
  readonly parte?: Tab;
  /** The line in the drawer. */
  readonly linea?: string;
  /** The batch whose result is shown, or `RECENT`. */
  readonly lote?: string;
}

type Filters = Pick<Input<'lines.list'>, 'state' | 'has_guide' | 'is_unsettled'>;

const FILTERS: Readonly<Record<Tab, Filters>> = {
  'sin-guia': { state: ['staged'], has_guide: false },
  'con-guia': { state: ['staged'], has_guide: true },
  'sin-respuesta': { is_unsettled: true },
  'en-espera': { state: ['held'] },
  'en-camino': { state: ['in_transit'] },
  transferidas: { state: ['transferred'] },
  otras: { state: ['cancelled', 'shipped_elsewhere'] },
};

/** What an address says, without what the screen does not know. */
export function warehouseSearch({ parte, linea, lote }: Record<string, unknown>): WarehouseSearch {
  return {
    ...(isTab(parte) && { parte }),
    ...(typeof linea === 'string' && linea !== '' && { linea }),
    ...(typeof lote === 'string' && lote !== '' && { lote }),
  };
}

export function filtersOf(tab: Tab): Filters {
  return FILTERS[tab];
}

function isTab(value: unknown): value is Tab {
  return typeof value === 'string' && Object.hasOwn(tabs, value);
}
