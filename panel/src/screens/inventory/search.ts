/** The filters of the screen, as its address holds them. */
import type { Input } from '../../client.ts';

export const ONLY = ['diferencias', 'sin-medidas'] as const;

export interface InventorySearch {
  /** In SKU or title. */
  readonly buscar?: string;
  readonly ver?: (typeof ONLY)[number];
  /** The SKU in the drawer. */
  readonly sku?: string;
  /** Where its form was asked for: what the address of Almacén held. */
  readonly desde?: string;
}

/** What an address says, without what no filter knows. */
export function inventorySearch(given: Record<string, unknown>): InventorySearch {
  const { buscar, ver, sku, desde } = given;
  const only = ONLY.find((name) => name === ver);
  return {
    ...(typeof buscar === 'string' && buscar !== '' && { buscar }),
    ...(only && { ver: only }),
    ...(typeof sku === 'string' && sku !== '' && { sku }),
    ...(typeof desde === 'string' && desde !== '' && { desde }),
  };
}

type Filters = Omit<Input<'inventory.list'>, 'cursor' | 'limit'>;

export function filtersOf({ buscar, ver }: InventorySearch): Filters {
  const only = { diferencias: 'differences', 'sin-medidas': 'unmeasured' } as const;
  return { ...(buscar && { search: buscar }), ...(ver && { only: only[ver] }) };
}
