/** The marketplace's fees. */
export const FEE_KINDS = [
  'commission',
  'shipping_fee',
  'financing',
  'advertising',
  'other_fee',
] as const;

/** Taxes that the marketplace withholds; `withheld` where it does not say which. */
export const TAX_KINDS = ['isr', 'iva', 'withheld'] as const;

/**
 * What a movement is. `shipping` is paid by the buyer, `shipping_fee` by the seller. `opening` is
 * what an account held before its first movement, `other` what belongs to no other kind, such as
 * money that is held back and set free again.
 */
export const MOVEMENT_KINDS = [
  'sale',
  'shipping',
  'refund',
  ...FEE_KINDS,
  ...TAX_KINDS,
  'payout',
  'opening',
  'other',
] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];
