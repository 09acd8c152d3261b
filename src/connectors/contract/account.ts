/** Characters. A filter by account and its cursors must fit an address. */
export const LONGEST_ACCOUNT = 200;

export interface Account<Credentials> {
  /**
   * Identifies the seller's account at the service; part of the identity of each order.
   * `LONGEST_ACCOUNT` characters at most.
   */
  readonly accountId: string;
  readonly name: string;
  /** Credentials completed by the check; absent = unchanged. */
  readonly credentials?: Credentials;
  /** Lifetime of a token that the check requested, in seconds; absent = none was requested. */
  readonly secondsToLive?: number | null;
  /** Spanish sentences about missing parts of the seller's permission, shown to the seller. */
  readonly gaps?: readonly string[];
}

export interface Renewed<Credentials> {
  readonly credentials: Credentials;
  readonly secondsToLive: number | null;
}
