import type { ZodType } from 'zod';
import type { Decimal } from '../platform/money.ts';
import type { Instant } from '../platform/time.ts';

/** The marketplaces, in the order of enumerations and lists; append only. */
export const MARKETPLACES = [
  'mercado_libre',
  'amazon',
  'walmart',
  'shopify',
  'tiktok_shop',
  'liverpool',
  'coppel',
  'vtex',
  'woocommerce',
  'tiendanube',
] as const;
export type Marketplace = (typeof MARKETPLACES)[number];

export const ORDER_STATUSES = [
  'pending',
  'paid',
  'ready_to_ship',
  'partially_shipped',
  'shipped',
  'delivered',
  'cancelled',
  'returned',
  'refunded',
  'unknown',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Somebody whom the engine calls: translations and facts, no sockets, no state, no clock. */
export interface Service<Credentials> {
  readonly slug: string;
  readonly name: string;
  readonly auth: Auth<Credentials>;
  /** Of its APIs, those that are called. */
  readonly versions: readonly ApiVersion<Credentials>[];
  /** Upstream limits; the engine keeps to them. `default` serves every call that names no other. */
  readonly rates: { readonly default: Rate } & Readonly<Record<string, Rate>>;
  /** Only for those that say more than the HTTP status does; null = the status decides. */
  verdict?(answer: WireAnswer): Verdict | null;
  /** Milliseconds that an answer asks for before the next call of its rate; 0 = none. */
  pace?(answer: WireAnswer): number;
  readonly notifications?: Notifications<Credentials>;
}

/** A version of an API that is called, and how long its service goes on answering it. */
export interface ApiVersion<Credentials> {
  /** As its service calls it. */
  readonly api: string;
  /** As its paths or headers name it; null = its addresses name none. */
  readonly version: string | null;
  /** The announced first day without it, `2027-10-01`; null = none is announced. */
  readonly endsOn: string | null;
  /** Where its end would be announced: an address, or the name of a document. */
  readonly source: string;
  /** Whether a connection with these credentials calls it; absent = all do. */
  isUsedBy?(credentials: Credentials): boolean;
}

/** One marketplace, described to the sync engine. */
export interface Connector<Credentials> extends Service<Credentials> {
  readonly slug: Marketplace;
  readonly facts: MarketplaceFacts;
  readonly orders: Stream<SourceOrder, Credentials>;
  /**
   * An absent stream is not offered by this marketplace, and the product says so. A pass of
   * `inventory` over a window without a lower bound gives every level that there is: what two of
   * them leave out is gone. What it could not get at it sets aside, so that nothing is concluded
   * from its absence.
   */
  readonly inventory?: Stream<SourceStock, Credentials>;
  readonly balances?: Stream<SourceBalance, Credentials>;
  readonly settlements?: Stream<SourceSettlement, Credentials>;
  readonly invoices?: Stream<SourceInvoice, Credentials>;
  /**
   * An order from the document that was kept of it (`SourceOrder.raw`), by today's reading. Absent
   * = its document cannot be read alone.
   */
  readStored?(raw: string, fetchedAt: Instant): Read<SourceOrder>;
}

/** How the rest of the product treats a marketplace's orders and stock. */
interface MarketplaceFacts {
  /**
   * Orders with the same `packId` travel in one parcel. False: the field names a purchase whose
   * orders other branches or sellers pack.
   */
  readonly packsTravelTogether: boolean;
  /**
   * The warehouse whose levels report pieces that are there and not for sale. Null = none, so that
   * `reserved` is null and not 0.
   */
  readonly reservedIn: SourceStock['warehouse'] | null;
  /** By tag: the marketplace that an order with it was imported from, and that ships it. */
  readonly copiedFrom: Readonly<Record<string, Marketplace>>;
}

/** What can be walked. */
export const STREAMS = [
  'orders',
  'inventory',
  'balances',
  'settlements',
  'invoices',
  'shipments',
] as const;
export type StreamName = (typeof STREAMS)[number];

/** How credentials are read, put on a request, proved and renewed. */
export interface Auth<Credentials> {
  readonly kind: 'oauth2' | 'api_key' | 'client_credentials';
  /** The shape of a credential file; unknown fields are refused. */
  readonly credentials: ZodType<Credentials>;
  /** Hosts by name; `default` serves every call that names no other. */
  hosts(credentials: Credentials): { readonly default: string } & Readonly<Record<string, string>>;
  /** Proves who calls, with headers or in the query. */
  sign(request: WireRequest, credentials: Credentials, moment: Moment): WireRequest;
  /** The cheapest call that proves the credentials; answers whose account it is. */
  check(call: Call<Credentials>): Promise<Account<Credentials>>;
  /**
   * A fresh set of credentials and when it ends; null = these cannot be renewed. Absent = they do
   * not expire.
   */
  renew?(
    call: Call<Credentials>,
    application: Application | null,
  ): Promise<Renewed<Credentials> | null>;
  /** Consent by the seller's browser. Absent = credentials are typed. */
  readonly consent?: Consent<Credentials>;
}

/** What a signature may need beside the credentials. */
interface Moment {
  readonly application: Application | null;
  readonly now: Instant;
}

export interface Consent<Credentials> {
  /**
   * The seller's store, asked for before leaving, where the page of consent lives there; refused =
   * null.
   */
  readonly store?: (typed: string) => string | null;
  /** Where the seller's browser goes to say yes. */
  address(request: ConsentRequest): string;
  /**
   * What came back with the seller's browser, for credentials. Throws ZodError where it cannot be
   * that.
   */
  exchange(call: Call<null>, request: CodeExchange): Promise<Renewed<Credentials>>;
}

interface ConsentRequest {
  readonly application: Application;
  readonly redirectUri: string;
  readonly state: string;
  /** PKCE, S256. */
  readonly challenge: string;
  /** As `store` gave it; null where there is no such thing. */
  readonly store: string | null;
}

export interface CodeExchange {
  readonly application: Application;
  readonly redirectUri: string;
  /** The query of the redirect, which holds the code. */
  readonly answer: Readonly<Record<string, string>>;
  readonly verifier: string;
  readonly store: string | null;
}

/** Our registration at a marketplace. */
export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the marketplace gives the application a name of its own for the page of consent. */
  readonly appId?: string;
}

/** In characters. A filter by account, and the cursor of its pages, have to fit an address. */
export const LONGEST_ACCOUNT = 200;

export interface Account<Credentials> {
  /**
   * Identifies the seller's account at this marketplace; part of every order's identity.
   * `LONGEST_ACCOUNT` at most.
   */
  readonly accountId: string;
  readonly name: string;
  /** With what the check learnt; absent = as they were. */
  readonly credentials?: Credentials;
  /** Of a token that the check asked for; absent = it asked for none. */
  readonly secondsToLive?: number | null;
  /**
   * What the seller's permission does not cover, each a sentence in Spanish; the seller is told.
   */
  readonly gaps?: readonly string[];
}

export interface Renewed<Credentials> {
  readonly credentials: Credentials;
  readonly secondsToLive: number | null;
}

/** `bucket`: refills evenly, bursts allowed. `sliding`: never more than so many in any minute. */
export interface Rate {
  readonly perMinute: number;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly window: 'bucket' | 'sliding';
  readonly shared: 'connection' | 'server';
}

/**
 * A collection walked page by page, for a window of time or from a position that the marketplace
 * keeps.
 */
export interface Stream<Item, Credentials> {
  readonly every: { readonly minutes: number };
  /** Read again this much before the last watermark: marketplaces publish late. */
  readonly overlap: { readonly minutes: number };
  /** How far back the first import reaches; absent = all there is. */
  readonly history?: { readonly days: number };
  /**
   * Rows that a page is asked to have, where it may be asked to have fewer (`Pass.limit`). Absent =
   * their number is fixed.
   */
  readonly pageSize?: number;
  /**
   * What is asked for at the pass's position is too large to be read, also one row at a time. Sets
   * that row aside and goes on behind it; or, without items, goes on with a narrower question. Null
   * or absent = there is no way around it, and the stream stops there.
   */
  tooLarge?(call: Call<Credentials>, pass: Pass): Promise<Page<Item> | null>;
  /**
   * The page at the pass's position. Idempotent: the engine may fetch a position again. A first
   * import of orders prefetches the next page while one is stored, unless `acknowledge` is set.
   */
  page(call: Call<Credentials>, pass: Pass): Promise<Page<Item>>;
  /** What a hint names, for notifications and repairs; nothing = it does not exist there. */
  one?(call: Call<Credentials>, id: string): Promise<readonly Read<Item>[]>;
}

export interface Pass {
  readonly window: Window;
  /** Where the last page left off; null at the start of a pass. */
  readonly position: string | null;
  /** Rows to ask for: the stream's `pageSize`, or fewer where so many were too large to be read. */
  readonly limit: number;
  /**
   * Ids of stored items that may still change, in order, for services whose lists hide some changes.
   * Orders: empty unless this run is a reconciliation.
   */
  nonFinalIds(after: string | null, limit: number): Promise<string[]>;
  /**
   * Ids of stored delivered orders that were created from `from` until before `to`, in order. Empty
   * unless this run is a reconciliation.
   */
  deliveredIds(
    created: { readonly from: Instant; readonly to: Instant },
    after: string | null,
    limit: number,
  ): Promise<string[]>;
  /**
   * The native states stored under these ids, so that a list's row that says nothing new is not
   * asked about. The page before may not be stored yet.
   */
  states(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** `from` null = a first import without a lower bound. */
export interface Window {
  readonly from: Instant | null;
  readonly to: Instant;
}

export interface Page<Item> {
  readonly items: readonly Read<Item>[];
  /** Opaque to the engine; null = the pass is complete. Must move at every page. */
  readonly next: string | null;
  /** The marketplace is still preparing it: the pass goes on from `next` about a minute later. */
  readonly pause?: boolean;
  /** Runs after the page is committed: for marketplaces with a queue. */
  readonly acknowledge?: () => Promise<void>;
}

/** One thing as the marketplace gave it: understood, or set aside with the reason. */
export type Read<Item> =
  | { readonly ok: true; readonly item: Item }
  | {
      readonly ok: false;
      readonly externalId: string | null;
      readonly reason: string;
      readonly raw: string;
    };

/**
 * The connector's only way out. The engine signs, throttles, sends, judges, renews, retries and
 * parses.
 */
export interface Call<Credentials> {
  /** Who is called. */
  readonly service: string;
  readonly credentials: Credentials;
  /** The engine's time, for signatures and versions. */
  now(): Instant;
  get<T>(path: string, schema: ZodType<T>, options?: CallOptions): Promise<T>;
  /** For answers whose status or headers matter, and for bodies that are not JSON. */
  request(request: CallRequest): Promise<WireAnswer>;
}

export interface CallOptions {
  /** A name of `auth.hosts`, or an origin that the connector made sure of. */
  readonly host?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate?: string;
  /** For documents that are no text: the answer's body has one character for each byte (latin1). */
  readonly isBinary?: boolean;
}

export interface CallRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };
  /** Statuses that the connector wants to see itself; any other non-2xx is an error. */
  readonly expect?: readonly number[];
  /** Without credentials, as for a token request. */
  readonly anonymous?: boolean;
  /** A POST that only asks, as in GraphQL and in searches. */
  readonly reads?: true;
  /** The connector reads itself what the service's `verdict` calls a refusal. */
  readonly mayBeRefused?: boolean;
  /**
   * Never sent again once it may have arrived: what it makes would be made, and paid for, twice.
   */
  readonly once?: boolean;
}

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When the engine began to ask for it. */
  readonly fetchedAt: Instant;
}

/** `forbid`: the seller's permission does not reach so far. */
export type Verdict = 'ok' | 'retry' | 'renew' | 'refuse' | 'forbid';

/** A push says only *what* changed; the engine fetches the thing itself. */
export interface Notifications<Credentials> {
  /**
   * For those who sign nothing: the address holds a token of the connection, and without it a push
   * is refused.
   */
  readonly isTokened?: true;
  /**
   * For those who prove nothing: a push is larger than this only where it is forged. Absent = 256
   * KB.
   */
  readonly mostBytes?: number;
  /**
   * What is kept of a push as its receipt, where a stranger wrote it or it tells of a buyer; absent
   * = the whole of it.
   */
  kept?(push: Push): unknown;
  /**
   * Whose account the push is about, where the address does not say it; null = it is not one of
   * ours.
   */
  account(push: Push): string | null;
  verify(push: Push, credentials: Credentials, secrets: PushSecrets): boolean;
  /**
   * Proves what is asked for privacy where the credentials are gone: it comes after the seller
   * left, too.
   */
  verifyPrivacy?(push: Push, secrets: PushSecrets): boolean;
  hints(push: Push): Hint[];
  /**
   * Registers what is missing there and mends what is ours; leaves what is somebody else's alone.
   */
  ensure?(call: Call<Credentials>, target: PushTarget): Promise<void>;
  /**
   * Deletes there what `ensure` registered for this address. Absent = nothing is registered, or it
   * ends by itself.
   */
  remove?(call: Call<Credentials>, target: PushTarget): Promise<void>;
}

export interface Push {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received, for signatures. */
  readonly text: string;
  /** Parsed without loss; null = it is not JSON. */
  readonly body: unknown;
}

interface PushSecrets {
  readonly application: Application | null;
  /** Of this connection's subscriptions. */
  readonly secret: string;
}

export interface PushTarget extends PushSecrets {
  /** Where pushes of this connection go; nobody else is told. */
  readonly address: string;
}

/**
 * What a push asks for: to fetch something again, or what the law lets a buyer and a seller ask.
 */
export type Hint = Refetch | PrivacyRequest;

export interface Refetch {
  readonly stream: StreamName;
  /** What the stream's `one` takes. */
  readonly id: string;
}

/**
 * To forget the buyer of these orders, or all personal data of the account; or to show a buyer's
 * data to the seller.
 */
export type PrivacyRequest =
  | { readonly forget: 'buyer'; readonly orderIds: readonly string[] }
  | { readonly forget: 'account' }
  | { readonly show: 'buyer'; readonly orderIds: readonly string[] };

/** Tag of an order that the marketplace keeps in its own warehouses and ships itself. */
export const MARKETPLACE_SHIPS = 'fulfilled_by_marketplace';

/** A buyer as the source names them: one text, or given and family names apart. */
export type BuyerName = string | { readonly given: string | null; readonly family: string | null };

/** Which parts of the purchase a source's own total holds. */
export interface TotalIncludes {
  readonly shipping: boolean;
  readonly tax: boolean;
  readonly orderDiscount: boolean;
}

/**
 * A named amount of the source that is part of the total: a tip, gift wrap, a fee to the buyer,
 * rounding.
 */
export interface OtherAmount {
  readonly name: string;
  readonly amount: Decimal;
}

/**
 * An order in our words; connectors make one with `sourceOrder`. Texts are the marketplace's own;
 * amounts keep the decimals that it gave. `docs/money.md` gives each amount its meaning and the
 * identity that they keep.
 */
export interface SourceOrder {
  /** Exactly as delivered. */
  readonly id: string;
  readonly status: OrderStatus;
  /** The native status, raw. */
  readonly marketplaceStatus: string;
  readonly paymentStatus: string | null;
  readonly fulfillmentStatus: string | null;
  readonly currency: string;
  /** The source's own total of the purchase; null while the source withholds it. */
  readonly total: Decimal | null;
  /** Null where the source does not say, as in an imported line. */
  readonly totalIncludes: TotalIncludes | null;
  /** Sum of the lines' `subtotal`. */
  readonly subtotal: Decimal | null;
  /** Discounts of the order that no line has already. */
  readonly orderDiscount: Decimal | null;
  /** All discounts, of lines and of the order. */
  readonly discountTotal: Decimal | null;
  /** The part of the discounts that the marketplace pays to the seller. */
  readonly marketplaceDiscountTotal: Decimal | null;
  /** What the buyer pays for shipping; null where it belongs to no single order. */
  readonly shippingTotal: Decimal | null;
  /** What the buyer pays for shipping of the whole pack, where only that is known. */
  readonly packShippingTotal: Decimal | null;
  /** All taxes. */
  readonly taxTotal: Decimal | null;
  /** Taxes that are not inside the prices of the lines. */
  readonly taxAdded: Decimal | null;
  readonly other: readonly OtherAmount[];
  /** What the marketplace keeps, where the order itself says so. */
  readonly feesTotal: Decimal | null;
  readonly withheldTotal: Decimal | null;
  readonly netTotal: Decimal | null;
  readonly refundedTotal: Decimal | null;
  readonly refunds: readonly { readonly amount: Decimal; readonly at: Instant | null }[];
  /** Abbreviated before it is stored. */
  readonly buyerName: BuyerName | null;
  readonly dateCreated: Instant;
  /**
   * The source's own time of the first final status; null while the order is open, and where the
   * source tells no time. Mercado Libre's own field is given as it is.
   */
  readonly dateClosed: Instant | null;
  readonly items: readonly SourceItem[];
  /**
   * Lines that the source tells without a price: not priced yet, or zeroed because they were
   * cancelled.
   */
  readonly unpriced: readonly UnpricedLine[];
  readonly shipping: SourceShipping | null;
  readonly invoiceRequired: boolean | null;
  readonly packId: string | null;
  /**
   * `test_order` marks one that is no sale, `MARKETPLACE_SHIPS` one that its seller does not pack.
   */
  readonly tags: readonly string[];
  /** The largest change time of all its parts; null where the marketplace gives none. */
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
  /**
   * Fields that the marketplace could not give this time: what is stored stays. Of `items` only the
   * cancelled pieces change. Where a total is kept and none is stored, an older version that
   * arrives later still gives it.
   */
  readonly keep: readonly (keyof SourceOrder)[];
  /** The documents as received, as JSON text. */
  readonly raw: string | null;
}

/**
 * The money of an order: what is kept where a source withholds it, or zeroed it because the order
 * was cancelled.
 */
export const AMOUNTS = [
  'total',
  'totalIncludes',
  'subtotal',
  'orderDiscount',
  'discountTotal',
  'marketplaceDiscountTotal',
  'shippingTotal',
  'packShippingTotal',
  'taxTotal',
  'taxAdded',
  'other',
  'feesTotal',
] as const satisfies readonly (keyof SourceOrder)[];

export interface SourceItem {
  readonly id: string | null;
  readonly sku: string | null;
  readonly title: string;
  readonly variation: string | null;
  /**
   * Pieces as ordered; fractions are rounded up, money is never computed from the rounded figure.
   */
  readonly quantity: number;
  /** Pieces cancelled or returned later. */
  readonly cancelledQuantity: number;
  /** False where the source no longer tells how many were ordered. */
  readonly quantityKnown: boolean;
  /** What the buyer pays for one piece, after the discounts of the line. */
  readonly unitPrice: Decimal;
  /** Price of one piece before discounts. */
  readonly listPrice: Decimal | null;
  /** The line's money after its discounts. */
  readonly subtotal: Decimal | null;
  readonly currency: string;
}

/** A line whose price is shown only where it was told before. */
export type UnpricedLine = Omit<SourceItem, 'unitPrice' | 'listPrice' | 'subtotal'>;

export interface SourceShipping {
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly method: string | null;
  readonly status: string | null;
  readonly shippedAt: Instant | null;
  readonly deliveredAt: Instant | null;
}

/** Stock of one variation in one place. */
export interface SourceStock {
  readonly itemId: string;
  /** Empty where the item has no variations. */
  readonly variationId: string;
  readonly warehouse: 'seller' | 'marketplace';
  readonly sku: string | null;
  readonly title: string;
  /** Null = without limit. */
  readonly available: number | null;
  readonly unavailable: number;
}

/** What one purse of an account holds at a moment. */
export interface SourceBalance {
  /** The marketplace's own name for the purse; empty where it has only one. */
  readonly purse: string;
  readonly currency: string;
  /** May be withdrawn now. */
  readonly available: Decimal | null;
  /** Earned and not released yet. */
  readonly pending: Decimal | null;
  /**
   * What was paid in and not used yet, where the account is prepaid; negative = owed. Absent =
   * there is no such thing.
   */
  readonly balance?: Decimal | null;
  /** How far the account may be overdrawn. */
  readonly creditLimit?: Decimal | null;
  /**
   * When the pending money becomes available, a sum a day; absent = the marketplace does not say.
   */
  readonly releases?: readonly { readonly at: Instant; readonly amount: Decimal }[];
  readonly asOf: Instant;
  /** Summed up from statements, because the marketplace has no call for it. */
  readonly isDerived: boolean;
}

export const SETTLEMENT_STATUSES = ['expected', 'pending', 'paid', 'failed', 'cancelled'] as const;

/** A payout, statement or billing cycle. */
export interface SourceSettlement {
  readonly id: string;
  readonly status: (typeof SETTLEMENT_STATUSES)[number];
  /** Raw. */
  readonly marketplaceStatus: string;
  readonly currency: string;
  /** Sales, before what the marketplace takes. */
  readonly gross: Decimal | null;
  /** What the marketplace takes, as a positive number. */
  readonly fees: Decimal | null;
  /** What the seller gets. */
  readonly net: Decimal;
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly paidAt: Instant | null;
  readonly reference: string | null;
  readonly changedAt: Instant | null;
  readonly raw: string;
}

/** A tax-invoice document that the marketplace keeps for an order. */
export interface SourceInvoice {
  readonly id: string;
  readonly orderIds: readonly string[];
  readonly fileName: string | null;
  /** The folio fiscal, where the marketplace says it. */
  readonly uuid: string | null;
  /** The CFDI itself, as received; null = only its address or a picture of it is to be had. */
  readonly xml: string | null;
  readonly url: string | null;
  readonly issuedAt: Instant | null;
}
