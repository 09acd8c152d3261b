import type { Call } from './call.ts';
import type { IdPage, Page, Read } from './page.ts';
import type { StreamRequest } from './stream-request.ts';

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
