import type { Marketplace } from './marketplaces.ts';
import type { SourceStock } from './other-sources.ts';

/** How the rest of the product treats a marketplace's orders and stock. */
export interface MarketplaceFacts {
  /**
   * Whether orders with the same `packId` travel in one parcel. False: the field names a purchase
   * with orders that other branches or sellers pack.
   */
  readonly packsTravelTogether: boolean;
  /**
   * The warehouse whose levels report units that are there and not for sale. Null = none, so that
   * `reserved` is null and not 0.
   */
  readonly reservedIn: SourceStock['warehouse'] | null;
  /** By tag: the marketplace that an order with it was imported from, and that ships it. */
  readonly copiedFrom: Readonly<Record<string, Marketplace>>;
  /**
   * Payouts are taken from a balance: movements do not name the payout that settles them, and what
   * is not taken stays for the next one.
   */
  readonly payoutsDrawOnBalance?: true;
  /**
   * Documents give no times of refunds: `at` is the last change of the payment, whatever it was.
   */
  readonly refundsHaveNoTimes?: true;
  /** The seller's own shop: no taxes are withheld of its sales. */
  readonly isOwnShop?: true;
}
