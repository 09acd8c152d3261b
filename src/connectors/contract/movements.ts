import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { MovementKind } from './movement-kinds.ts';
import type { SourceSettlement } from './other-sources.ts';

/** One amount that an account of a marketplace gained or lost. */
export interface SourceMovement {
  /** The natural key within its report, such as the id of the source, its type and an ordinal. */
  readonly key: string;
  readonly kind: MovementKind;
  /** Positive where the seller gains. A positive fee is one that was given back. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly at: Instant;
  /** The source's own words, raw. */
  readonly nativeType: string;
  /** Null where the source names none. */
  readonly orderId: string | null;
  /** The `id` of the settlement that includes it; null = none yet, or not named. */
  readonly payoutId: string | null;
  /** The source may still change it: held back, or not payable yet. */
  readonly isOpen: boolean;
}

/** The movements of one document, such as a report or a page of a list. */
export interface SourceLedger {
  /** Of the document, within its stream. */
  readonly id: string;
  /** The kind of document; the keys of its movements are unique within it and the account. */
  readonly report: string;
  readonly movements: readonly SourceMovement[];
  /**
   * What the document has all movements of: the time between two instants, or a settlement. A
   * stored movement of it that the document lacks is taken back. Null = it may lack some.
   */
  readonly covers: CoveredTime | { readonly payoutId: string } | null;
  /** The latest change that the document has; null = it gives none. */
  readonly changedAt: Instant | null;
  /** The account's money before all movements of the document; null = not reported. */
  readonly opening: {
    readonly amount: Decimal;
    readonly currency: string;
    readonly at: Instant;
  } | null;
}

/** Both ends are left out. */
export interface CoveredTime {
  readonly from: Instant;
  readonly to: Instant;
}

/** What the stream of settlements consists of. */
export type SourceMoney = SourceSettlement | SourceLedger;

export function isSettlement(item: SourceMoney): item is SourceSettlement {
  return !isLedger(item);
}

export function isLedger(item: SourceMoney): item is SourceLedger {
  return 'movements' in item;
}
