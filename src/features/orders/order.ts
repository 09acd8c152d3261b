import { hash } from 'node:crypto';
import type { Marketplace, SourceOrder } from '../../connectors/contract.ts';
import { together, type WriteScope } from '../../platform/db/database.ts';
import { covers, type Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * What makes an order the same order: ids are unique only within one account of one marketplace.
 */
export interface OrderIdentity {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly id: string;
}

/** Text that is equal for the same order. */
export function orderKey({ marketplace, accountId, id }: OrderIdentity): string {
  return `${marketplace}\n${accountId}\n${id}`;
}

export type AccountOfOrders = Pick<OrderIdentity, 'marketplace' | 'accountId'>;

/** An order as a source tells it, with the account that it belongs to. */
export interface Order extends SourceOrder {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Null for imported orders. */
  readonly connectionId: string | null;
}

/** Where an order's own version stands; not public. */
type Version = 'changedAt' | 'fetchedAt' | 'keep' | 'unpriced' | 'raw';

/** The order as everybody is shown it, and as it is read back from what is stored. */
export interface PublicOrder extends Omit<Order, Version | 'buyerName'> {
  /** Abbreviated. */
  readonly buyerName: string | null;
  /** Sum of `other`. */
  readonly otherTotal: Decimal | null;
  readonly feesSource: 'order' | 'ledger' | null;
  /** Whether the parts give the total; null where that cannot be said. */
  readonly moneyCheck: 'ok' | 'unexplained' | null;
  /** What the parts leave of the total; null where they give it. */
  readonly moneyDifference: Decimal | null;
  readonly netComplete: boolean;
  /** Of the CFDI that is linked to it. */
  readonly cfdiStatus: string | null;
  readonly cfdiUuid: string | null;
}

/** A public order with the version that it was stored as. */
export type RecordedOrder = PublicOrder & Pick<Order, 'changedAt' | 'fetchedAt' | 'raw'>;

/** One order that was written, with what stood there before. */
export interface OrderChange {
  readonly before: PublicOrder | null;
  readonly after: RecordedOrder;
  readonly lastUpdated: Instant;
  /** The public order of lists, whole, as JSON text. */
  readonly json: string;
}

/** What must happen because orders changed; runs inside the transaction that changes them. */
export type OrderListener = (scope: WriteScope, changes: readonly OrderChange[]) => Promise<void>;

/** One after the other: a listener may change orders itself, and ask the others again. */
export async function tell(
  listeners: readonly OrderListener[],
  scope: WriteScope,
  changes: readonly OrderChange[],
): Promise<void> {
  for (const listen of listeners) await listen(scope, changes);
}

/** Those that change no order need not wait for one another. */
export function alongside(...listeners: readonly OrderListener[]): OrderListener {
  return async (scope, changes) => {
    await together(listeners.map((listen) => listen(scope, changes)));
  };
}

/** Whether refunds cover the order, so that only being cancelled or returned says more about it. */
export function isRefunded({
  status,
  total,
  refundedTotal,
}: Pick<Order, 'status' | 'total' | 'refundedTotal'>): boolean {
  return status !== 'cancelled' && status !== 'returned' && covers(refundedTotal, total);
}

/** Equal fingerprints = equal public content. */
export function fingerprintOf(detailJson: string): string {
  return hash('sha256', detailJson, 'base64url').slice(0, 22);
}
