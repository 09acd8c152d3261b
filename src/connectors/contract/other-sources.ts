import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** Stock of one variation in one place. */
export interface SourceStock {
  readonly itemId: string;
  /** Empty where the item has no variations. */
  readonly variationId: string;
  readonly warehouse: 'seller' | 'marketplace';
  readonly sku: string | null;
  readonly title: string;
  /** Null = without limit. */
  readonly available: number | null;
  readonly unavailable: number;
}

/** The balance of one purse of an account at a moment. */
export interface SourceBalance {
  /** The marketplace's own name of the purse; empty where it has one only. */
  readonly purse: string;
  readonly currency: string;
  /** Can be withdrawn now. */
  readonly available: Decimal | null;
  /** Earned and not released yet. */
  readonly pending: Decimal | null;
  /** Prepaid accounts: deposited and not used yet; negative = owed. Absent = not prepaid. */
  readonly balance?: Decimal | null;
  /** How far the account may be overdrawn. */
  readonly creditLimit?: Decimal | null;
  /**
   * When pending money becomes available, one amount a day; absent = unknown.
   */
  readonly releases?: readonly { readonly at: Instant; readonly amount: Decimal }[];
  readonly asOf: Instant;
  /** Computed from statements, because the marketplace has no call for the balance. */
  readonly isDerived: boolean;
}

export const SETTLEMENT_STATUSES = ['expected', 'pending', 'paid', 'failed', 'cancelled'] as const;

/** A payout, statement or billing cycle. */
export interface SourceSettlement {
  readonly id: string;
  readonly status: (typeof SETTLEMENT_STATUSES)[number];
  /** Raw. */
  readonly marketplaceStatus: string;
  readonly currency: string;
  /** Sales before the marketplace's fees. */
  readonly gross: Decimal | null;
  /** The marketplace's fees, a positive number. */
  readonly fees: Decimal | null;
  /** The amount that the seller receives. */
  readonly net: Decimal;
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly paidAt: Instant | null;
  readonly reference: string | null;
  readonly changedAt: Instant | null;
  readonly raw: string;
}
