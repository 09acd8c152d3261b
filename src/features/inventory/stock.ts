import type { Marketplace, SourceStock } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';

/** The owner of the warehouse. */
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
  /** When the marketplace stopped listing it; it counts 0 from then on. */
  readonly goneAt: Instant | null;
}
