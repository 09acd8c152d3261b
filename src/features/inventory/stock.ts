import type { Marketplace, SourceStock } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';

/** Whose shelves it lies on. */
export const WAREHOUSES = [
  'seller',
  'marketplace',
] as const satisfies readonly SourceStock['warehouse'][];
export type Warehouse = (typeof WAREHOUSES)[number];

/** Stock of one variation in one place, as customers see it. */
export interface StockLevel extends SourceStock {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly updatedAt: Instant;
  /** Since when the marketplace no longer has it; it counts 0 then. */
  readonly goneAt: Instant | null;
}

/** As texts are compared in searches: lower case, without accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
