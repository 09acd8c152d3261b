/** What the address of the screen holds. */
import type { Input } from '../../client.ts';
import { type readiness, tabs } from './words.ts';

export type Tab = keyof typeof tabs;
export const TABS = Object.keys(tabs) as readonly Tab[];

/** Whether the lines without a guide are ready for it; absent = all of them. */
export type Only = Exclude<keyof typeof readiness, 'todas'>;

/** In the place of a batch: the list of the last ones. */
export const RECENT = 'recientes';
/** In the place of a batch: the review of the chosen lines before there is one. */
export const REVIEW = 'revision';

export interface WarehouseSearch {
  readonly parte?: Tab;
  readonly solo?: Only;
  /** The line in the drawer. */
  readonly linea?: string;
  /** The line was opened from the review. */
  readonly desde?: typeof REVIEW;
  /** The batch whose result is shown, or `RECENT`, or `REVIEW`. */
  readonly lote?: string;
  /** The account of the carrier that the review asks; absent = that of the settings. */
  readonly cuenta?: string;
}

type Filters = Pick<Input<'lines.list'>, 'state' | 'has_guide' | 'is_unsettled' | 'readiness'>;

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
export function warehouseSearch(given: Record<string, unknown>): WarehouseSearch {
  const { parte, solo, linea, desde, lote, cuenta } = given;
  return {
    ...(isTab(parte) && { parte }),
    ...((solo === 'listas' || solo === 'incompletas') && { solo }),
    ...(typeof linea === 'string' && linea !== '' && { linea }),
    ...(desde === REVIEW && { desde: REVIEW }),
    ...(typeof lote === 'string' && lote !== '' && { lote }),
    ...(typeof cuenta === 'string' && cuenta !== '' && { cuenta }),
  };
}

/** @param only of the lines without a guide */
export function filtersOf(tab: Tab, only: Only | undefined): Filters {
  if (tab !== 'sin-guia' || !only) return FILTERS[tab];
  return { readiness: only === 'listas' ? 'ready' : 'lacking' };
}

function isTab(value: unknown): value is Tab {
  return typeof value === 'string' && Object.hasOwn(tabs, value);
}
