import type { PublicOrder } from './order.ts';

/** What an order shows of its buyer, as it is once the buyer is forgotten. */
const FORGOTTEN = { buyerName: null } as const satisfies Partial<PublicOrder>;
const FIELDS = Object.keys(FORGOTTEN) as (keyof typeof FORGOTTEN)[];

/** The fields of an order whose buyer was forgotten. */
export const NO_BUYER = { ...FORGOTTEN, raw: null };

export function withoutBuyer(order: PublicOrder): PublicOrder {
  return { ...order, ...FORGOTTEN };
}

export function showsBuyer(order: PublicOrder): boolean {
  return FIELDS.some((field) => order[field] !== FORGOTTEN[field]);
}
