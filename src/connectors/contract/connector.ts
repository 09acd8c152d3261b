import type { Instant } from '../../platform/time.ts';
import type { Auth } from './auth.ts';
import type { Rate, Verdict, WireAnswer } from './call.ts';
import type { MarketplaceFacts } from './marketplace-facts.ts';
import type { Marketplace } from './marketplaces.ts';
import type { SourceMoney } from './movements.ts';
import type { Notifications } from './notifications.ts';
import type { SourceBalance, SourceStock } from './other-sources.ts';
import type { Read } from './page.ts';
import type { SourceFiscal } from './source-fiscal.ts';
import type { SourceOrder } from './source-order.ts';
import type { Stream } from './stream.ts';

/** A service that the engine calls. Translations and facts: no sockets, no state, no clock. */
export interface Service<Credentials> {
  readonly slug: string;
  readonly name: string;
  readonly auth: Auth<Credentials>;
  /** The versions of its APIs that are called. */
  readonly versions: readonly ApiVersion<Credentials>[];
  /** Its limits, by name, which the engine keeps. A call that names none uses `default`. */
  readonly rates: { readonly default: Rate } & Readonly<Record<string, Rate>>;
  /** For services whose bodies are more precise than the HTTP status; null = the status decides. */
  verdict?(answer: WireAnswer): Verdict | null;
  /**
   * Milliseconds to wait before the next call of the same rate, as the answer requires; 0 = none.
   */
  pace?(answer: WireAnswer): number;
  readonly notifications?: Notifications<Credentials>;
}

/** A version of an API that is called, and when its service ends it. */
export interface ApiVersion<Credentials> {
  /** The service's own name of the API. */
  readonly api: string;
  /** As in its paths or headers; null = they hold none. */
  readonly version: string | null;
  /** The announced first day without it, such as `2027-10-01`; null = none is announced. */
  readonly endsOn: string | null;
  /** Where its end is announced: an address, or the name of a document. */
  readonly source: string;
  /** Whether a connection with these credentials calls it; absent = all connections do. */
  isUsedBy?(credentials: Credentials): boolean;
}

/** One marketplace, described to the sync engine. */
export interface Connector<Credentials> extends Service<Credentials> {
  readonly slug: Marketplace;
  readonly facts: MarketplaceFacts;
  readonly orders: Stream<SourceOrder, Credentials>;
  /**
   * An absent stream is one that the marketplace does not offer; the product reports it so. A sync
   * run of `inventory` over a window without a lower bound returns every level: a level that two
   * such runs omit is marked as gone. Levels that cannot be read are set aside, so that their
   * absence proves nothing.
   */
  readonly inventory?: Stream<SourceStock, Credentials>;
  readonly balances?: Stream<SourceBalance, Credentials>;
  /** Payouts, and the movements that the same documents list. */
  readonly settlements?: Stream<SourceMoney, Credentials>;
  readonly invoices?: Stream<SourceFiscal, Credentials>;
  /**
   * Reads an order from its stored document (`SourceOrder.raw`). Absent = the document alone is not
   * enough.
   */
  readStored?(raw: string, fetchedAt: Instant): Read<SourceOrder>;
}
