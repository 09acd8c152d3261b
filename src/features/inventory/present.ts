import type { Marketplace } from '../../connectors/contract.ts';
import { formatMillis } from '../../platform/time.ts';
import type { StockLevel, Warehouse } from './stock.ts';

/** Who says what is there and not for sale, and of which warehouse; of all other levels it is unknown, not 0. */
const TELL_RESERVED: Partial<Record<Marketplace, Warehouse>> = {
  mercado_libre: 'marketplace',
  amazon: 'marketplace',
  shopify: 'seller',
  tiktok_shop: 'seller',
  vtex: 'seller',
};

/** The public level, for events. */
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

/** A level that is there, for agents and screens. */
export function presentLevel(level: StockLevel, fields: 'compact' | 'full') {
  const { available } = level;
  const reserved = TELL_RESERVED[level.marketplace] === level.warehouse ? level.unavailable : null;
  const compact = {
    marketplace: level.marketplace,
    account_id: level.accountId,
    warehouse: level.warehouse,
    sku: level.sku,
    title: level.title,
    available,
    is_unlimited: available === null,
    reserved,
    total: available === null || reserved === null ? null : available + reserved,
    updated_at: formatMillis(level.updatedAt),
  };
  if (fields === 'compact') return compact;
  const variation = level.variationId === '' ? null : level.variationId;
  return { ...compact, item_id: level.itemId, variation_id: variation };
}
