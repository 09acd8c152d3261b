import type { Instant } from '../../platform/time.ts';

export interface StreamRequest {
  readonly window: Window;
  /** `next` of the page before; null at the start of a sync run. */
  readonly position: string | null;
  /** Rows to request: the stream's `pageSize`, or fewer where larger pages exceeded the limit. */
  readonly limit: number;
  /**
   * Ids of stored items that may still change, in order, for services whose lists hide changes.
   * Orders: empty unless this run is a reconciliation.
   */
  nonFinalIds(after: string | null, limit: number): Promise<string[]>;
  /**
   * Ids of stored delivered orders that were created from `from` until before `to`, in order. Empty
   * unless this run is a reconciliation. Invoices: in every run, and of all orders that were packed
   * or sent, whatever became of them.
   */
  deliveredIds(
    created: { readonly from: Instant; readonly to: Instant },
    after: string | null,
    limit: number,
  ): Promise<string[]>;
  /**
   * The native states stored under these ids, so that details are requested for changed rows only.
   * The page before may not be stored yet.
   */
  states(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** `from` null = a first import without a lower bound. */
export interface Window {
  readonly from: Instant | null;
  readonly to: Instant;
}
