import { hash } from 'node:crypto';
import type { Marketplace, SourceOrder } from '../../connectors/contract.ts';
import { together, type WriteScope } from '../../platform/db/database.ts';
import { covers } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** What makes an order the same order: ids are unique only within one account of one marketplace. */
export interface OrderIdentity {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly id: string;
}

/** An order as a source tells it, with the account that it belongs to. */
export interface Order extends SourceOrder {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Null for imported orders. */
  readonly connectionId: string | null;
}

/** What of an order can be read back from what is stored. */
export type PublicOrder = Omit<Order, 'changedAt' | 'fetchedAt' | 'keep' | 'raw'>;

/** One order that was written, with what stood there before. */
export interface OrderChange {
  readonly before: PublicOrder | null;
  readonly after: Order;
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

const PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'y', 'e', 'van', 'von', 'da', 'dos']);

/**
 * `Juan Pérez García` → `Juan P.`: first name and the initial of the first surname.
 * An abbreviated name stays as it is; nothing is invented for an absent one.
 */
export function abbreviate(name: string | null): string | null {
  const words = (name ?? '')
    .normalize('NFC')
    .split(/\s+/u)
    .filter((word) => word !== '');
  const [first, ...others] = words;
  if (!first) return null;
  const surnames = others.filter((word) => !PARTICLES.has(word.toLowerCase()));
  // Four words are two given names and two surnames.
  const surname = surnames.length >= 3 ? surnames[1] : surnames[0];
  const initial = surname ? [...surname].find((letter) => /\p{L}/u.test(letter)) : undefined;
  return initial ? `${first} ${initial.toUpperCase()}.` : first;
}

/** Equal fingerprints = equal public content. */
export function fingerprintOf(detailJson: string): string {
  return hash('sha256', detailJson, 'base64url').slice(0, 22);
}
