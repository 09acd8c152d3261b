import { z } from 'zod';
import type { SourceStock } from '../contract.ts';
import { amount, id, optional, looseText as text } from '../wire-fields.ts';

const Stock = z.object({
  id,
  sku: text,
  /** Of a variation also a truth value. */
  status: z.unknown().optional(),
  /** `"parent"` where a variation shares the stock of its product. */
  manage_stock: z.unknown().optional(),
  stock_quantity: optional(amount),
  stock_status: text,
});
type Stock = z.infer<typeof Stock>;

const Product = Stock.extend({ name: text, type: text, parent_id: text });
const Variation = Stock.extend({ attributes: optional(z.array(z.object({ option: text }))) });

const HIDDEN: readonly unknown[] = ['draft', 'pending', 'future', 'trash', false];
/** Sold by others, or a shelf of several products. */
const WITHOUT_STOCK: readonly unknown[] = ['external', 'grouped'];

/** Of a product without variations, or of one variation that was asked for by its own id. */
export function toProductStock(row: unknown): SourceStock {
  const product = Product.parse(row);
  const isVariation = product.type === 'variation' && product.parent_id !== null;
  return {
    itemId: isVariation ? (product.parent_id ?? '') : product.id,
    variationId: isVariation ? product.id : '',
    warehouse: 'seller',
    sku: product.sku,
    title: product.name ?? product.sku ?? '',
    available: availableOf(product),
    unavailable: 0,
  };
}

/** Variations that share their product's stock have all of it each. */
export function toVariationStock(row: unknown, parent: unknown): SourceStock {
  const variation = Variation.parse(row);
  const product = Product.parse(parent);
  const options = (variation.attributes ?? []).flatMap(({ option }) => option ?? []);
  const counted =
    variation.manage_stock === 'parent' && variation.stock_quantity === null
      ? { ...variation, stock_quantity: product.stock_quantity }
      : variation;
  return {
    itemId: product.id,
    variationId: variation.id,
    warehouse: 'seller',
    sku: variation.sku ?? product.sku,
    title: [product.name ?? '', options.join(', ')].filter(Boolean).join(' - '),
    available: HIDDEN.includes(product.status) ? 0 : availableOf(counted),
    unavailable: 0,
  };
}

/**
 * Backorders go below zero, and goods by weight have fractions: only what is whole and there may be
 * sold.
 */
function availableOf({ status, manage_stock, stock_quantity, stock_status }: Stock): number | null {
  if (HIDDEN.includes(status)) return 0;
  if (manage_stock !== false && stock_quantity !== null)
    return Math.max(0, Math.floor(Number(stock_quantity)));
  // Stock is not counted: the product is available, or it is not.
  return stock_status === null || stock_status === 'instock' ? null : 0;
}

export function productIdOf(row: unknown): string | null {
  return z.object({ id }).safeParse(row).data?.id ?? null;
}

export function isVariable(row: unknown): boolean {
  return typeOf(row)?.startsWith('variable') ?? false;
}

export function ownsStock(row: unknown): boolean {
  return !WITHOUT_STOCK.includes(typeOf(row));
}

function typeOf(row: unknown): string | null {
  return z.object({ type: text }).safeParse(row).data?.type ?? null;
}
