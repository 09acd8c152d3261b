import { z } from 'zod';

// Orders v0, which ends on 27 March 2027: old documents are read as new ones. Its lines need a call
// of their own.

/** Whether a document is an order of the older generation. */
export function isOfV0(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && 'AmazonOrderId' in row;
}

/** The same order in the shape of 2026-01-01, unchecked. */
export function orderOfV0(old: Readonly<Record<string, unknown>>): unknown {
  const { OrderTotal, BuyerInfo, ShippingAddress } = Parts.parse(old);
  return {
    orderId: old.AmazonOrderId,
    createdTime: old.PurchaseDate,
    lastUpdatedTime: old.LastUpdateDate,
    programs: Object.entries(PROGRAMS).flatMap(([flag, program]) =>
      isSet(old[flag]) ? [program] : [],
    ),
    salesChannel: { marketplaceId: old.MarketplaceId },
    buyer: { buyerName: BuyerInfo?.BuyerName },
    recipient: { deliveryAddress: { name: ShippingAddress?.Name } },
    proceeds: {
      grandTotal: { amount: OrderTotal?.Amount, currencyCode: OrderTotal?.CurrencyCode },
    },
    fulfillment: {
      fulfillmentStatus: old.OrderStatus,
      fulfillmentServiceLevel: old.ShipmentServiceLevelCategory,
      fulfilledBy: old.FulfillmentChannel === 'AFN' ? 'AMAZON' : 'MERCHANT',
    },
  };
}

const PROGRAMS = {
  IsPrime: 'PRIME',
  IsBusinessOrder: 'AMAZON_BUSINESS',
  IsISPU: 'IN_STORE_PICK_UP',
} as const;

const Part = z.record(z.string(), z.unknown()).nullish();
const Parts = z.object({ OrderTotal: Part, BuyerInfo: Part, ShippingAddress: Part });

/** Flags are booleans in some answers and words in others. */
function isSet(flag: unknown): boolean {
  return flag === true || flag === 'true';
}
