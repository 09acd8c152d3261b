export interface IdPage {
  /** Null = a row whose id cannot be read. */
  readonly ids: readonly (string | null)[];
  /** Opaque to the engine; null = that was the last page. */
  readonly next: string | null;
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
