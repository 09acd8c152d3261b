import type { Marketplace, SourceStock } from '../../connectors/contract.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';

/** Stock of one variation in one place, as customers see it. */
export interface StockLevel extends Omit<SourceStock, 'warehouse'> {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly warehouse: string;
  readonly updatedAt: Instant;
  /** Since when the marketplace no longer has it; it counts 0 then. */
  readonly goneAt: Instant | null;
}

/** The public level, for events and tools. */
export function presentStock(level: StockLevel) {
  return {
    marketplace: level.marketplace,
    account_id: level.accountId,
    item_id: level.itemId,
    variation_id: level.variationId === '' ? null : level.variationId,
    warehouse: level.warehouse,
    sku: level.sku,
    title: level.title,
    available: level.available,
    unavailable: level.unavailable,
    updated_at: formatMillis(level.updatedAt),
    gone_at: level.goneAt && formatMillis(level.goneAt),
  };
}

/** As texts are compared in searches: lower case, without accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
