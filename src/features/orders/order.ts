import { hash } from 'node:crypto';
import type { Marketplace, SourceOrder } from '../../connectors/contract.ts';
import { together, type WriteScope } from '../../platform/db/database.ts';
import { covers, type Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** The identity of an order: ids are unique only within one account of one marketplace. */
export interface OrderIdentity {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly id: string;
}

/** A text that is equal for the same order. */
export function orderKey({ marketplace, accountId, id }: OrderIdentity): string {
  return `${marketplace}\n${accountId}\n${id}`;
}

export type AccountOfOrders = Pick<OrderIdentity, 'marketplace' | 'accountId'>;

/** An order as a source gives it, with its account. */
export interface Order extends SourceOrder {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Null for imported orders. */
  readonly connectionId: string | null;
}

/** The version of an order; not public. */
type Version = 'changedAt' | 'fetchedAt' | 'keep' | 'unpriced' | 'raw';

/** The public order, as shown and as read back from storage. */
export interface PublicOrder extends Omit<Order, Version | 'buyerName'> {
  /** Abbreviated. */
  readonly buyerName: string | null;
  /** Sum of `other`. */
  readonly otherTotal: Decimal | null;
  readonly feesSource: 'order' | 'ledger' | null;
  /** Whether the parts add up to the total; null where that is unknown. */
  readonly moneyCheck: 'ok' | 'unexplained' | null;
  /** The total less the parts; null where it is zero. */
  readonly moneyDifference: Decimal | null;
  readonly netComplete: boolean;
  /** Of the CFDI that is linked to it. */
  readonly cfdiStatus: string | null;
  readonly cfdiUuid: string | null;
}

/** A public order with the version that it was stored as. */
export type RecordedOrder = PublicOrder & Pick<Order, 'changedAt' | 'fetchedAt' | 'raw'>;

/** An order that was written, with its former content. */
export interface OrderChange {
  readonly before: PublicOrder | null;
  readonly after: RecordedOrder;
  readonly lastUpdated: Instant;
  /** The public order of lists, whole, as JSON text. */
  readonly json: string;
}

/**
 * Handles the consequences of changed orders; runs inside the transaction that changes them. Passed
 * along and not registered, since a first import leaves `announce` out.
 */
export type OrderListener = (scope: WriteScope, changes: readonly OrderChange[]) => Promise<void>;

/** Those of a change; of a backfill, such as a first import, customers get no events. */
export type ListenersOf = (isBackfill: boolean) => readonly OrderListener[];

/** One listener after the other: a listener may change orders itself, and call the others again. */
export async function notifyListeners(
  listeners: readonly OrderListener[],
  scope: WriteScope,
  changes: readonly OrderChange[],
): Promise<void> {
  for (const listen of listeners) await listen(scope, changes);
}

/** Listeners that change no order run concurrently. */
export function alongside(...listeners: readonly OrderListener[]): OrderListener {
  return async (scope, changes) => {
    await together(listeners.map((listen) => listen(scope, changes)));
  };
}

/** Whether refunds cover the order, so that only `cancelled` and `returned` take precedence. */
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
