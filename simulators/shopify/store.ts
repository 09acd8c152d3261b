/** What all rooms of this simulator share. */
import type { World } from '../world.ts';
import type { Edit } from './facts.ts';

/** What a test may turn while the simulator runs. */
export interface Switches {
  /** Of the permission that the seller gave. */
  scopes: Set<string>;
  /** Most shops in Mexico have no Shopify Payments: their account is null. */
  hasPayments: boolean;
  /** Of the balance, beside those of orders; amounts in cents. */
  balanceTransactions: BalanceTransaction[];
  /** What a row of a list costs; a query may cost 1000 points. */
  pointsPerRow: number;
  /** Every filter is taken for one that is not understood. */
  ignoresFilters: boolean;
  /** A delivery does not move its order's time of change. */
  deliversSilently: boolean;
  /** The person at the page of consent says no. */
  refusesConsent: boolean;
}

export interface BalanceTransaction {
  readonly id: number;
  readonly type: string;
  readonly at: number;
  readonly amount: number;
  readonly fee: number;
}

export interface Store {
  /** `….myshopify.com` */
  readonly shop: string;
  readonly world: World;
  readonly switches: Switches;
  readonly now: () => number;
  /** Whether the prices of this shop hold IVA. */
  readonly taxesIncluded: boolean;
  /** By order. */
  readonly edits: Map<string, Edit[]>;
  isGranted(scope: string): boolean;
}

export const ALL_SCOPES = [
  'read_orders',
  'read_all_orders',
  'read_customers',
  'read_fulfillments',
  'read_products',
  'read_inventory',
  'read_locations',
  'read_returns',
  'read_merchant_managed_fulfillment_orders',
  'read_shopify_payments_accounts',
  'read_shopify_payments_payouts',
];
