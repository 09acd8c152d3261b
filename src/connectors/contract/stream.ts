import type { Instant } from '../../platform/time.ts';
import type { Call } from './call.ts';

/** The streams of a service. */
export const STREAMS = [
  'orders',
  'inventory',
  'balances',
  'settlements',
  'invoices',
  'shipments',
] as const;
export type StreamName = (typeof STREAMS)[number];

/**
 * A collection read page by page, for a window of time or from a position that the marketplace
 * keeps.
 */
export interface Stream<Item, Credentials> {
  readonly every: { readonly minutes: number };
  /** Time before the last watermark that is read again, since services publish late. */
  readonly overlap: { readonly minutes: number };
  /** How far back the first import reads; absent = without a limit. */
  readonly history?: { readonly days: number };
  /**
   * Its items are sums over all pages, as of the beginning of the sync run. A run that stopped is
   * not continued: the next one begins anew.
   */
  readonly addsUp?: true;
  /** The usual number of rows of a page (`StreamRequest.limit` may be less). Absent = it is fixed. */
  readonly pageSize?: number;
  /** Pages do not become smaller than this. Absent = 1 row. */
  readonly leastSize?: number;
  /**
   * Called when the answer at the request's position is too large even for the smallest page. Returns a page
   * that sets the row aside and continues after it, or an empty page with a narrower query. Null or
   * absent = the row cannot be skipped, and the stream stops.
   */
  tooLarge?(call: Call<Credentials>, request: StreamRequest): Promise<Page<Item> | null>;
  /**
   * The page at the request's position. Idempotent: the engine may fetch a position again. A first
   * import of orders prefetches the next page while one is stored, unless `acknowledge` is set.
   */
  page(call: Call<Credentials>, request: StreamRequest): Promise<Page<Item>>;
  /**
   * A page of the ids alone that `page` lists in the request's window, to compare them with the stored
   * ones. Absent = the service has no such list.
   */
  ids?(call: Call<Credentials>, request: StreamRequest): Promise<IdPage>;
  /** Reads single items, for notifications and repairs; empty = the service has none. */
  one?(call: Call<Credentials>, id: string): Promise<readonly Read<Item>[]>;
}

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

export interface IdPage {
  /** Null = a row whose id cannot be read. */
  readonly ids: readonly (string | null)[];
  /** Opaque to the engine; null = that was the last page. */
  readonly next: string | null;
}

/** `from` null = a first import without a lower bound. */
export interface Window {
  readonly from: Instant | null;
  readonly to: Instant;
}

export interface Page<Item> {
  readonly items: readonly Read<Item>[];
  /** Opaque to the engine; null = the sync run is complete. Must differ from the page's position. */
  readonly next: string | null;
  /**
   * How many rows the service counts in the whole window of the sync run, for the progress of a first
   * import. Absent = it counts none, or only those of a part.
   */
  readonly total?: number;
  /** The service is still preparing the data: the sync run resumes at `next` so much later. */
  readonly pauseSeconds?: number;
  /**
   * On the last page of a sync run: the service's changes could not all be read, so some come late. The
   * connection is `delayed` until a sync run ends without it.
   */
  readonly isBehind?: boolean;
  /**
   * Spanish sentences about what the account does not let us read, shown to the seller until a page
   * has none. Absent = this page does not show it.
   */
  readonly gaps?: readonly string[];
  /** Runs after the page is committed, for services with a queue. */
  readonly acknowledge?: () => Promise<void>;
}

/** One row of an answer: read, or set aside with the reason. */
export type Read<Item> =
  | { readonly ok: true; readonly item: Item }
  | {
      readonly ok: false;
      readonly externalId: string | null;
      readonly reason: string;
      readonly raw: string;
    };

/** The path and the reason of a row set aside, or a thing, whose answer exceeds the size limit. */
export const TOO_LARGE = '(whole): larger than an answer may be';
