import type { Call, Marketplace, Service, SourceBalance, Stream } from '../connectors/contract.ts';
import type { Decimal } from '../platform/money.ts';
import type { Instant } from '../platform/time.ts';

/** The specification's carrier A and carrier B. */
export const CARRIERS = ['zipnova', 'paquetexpress'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** Where an organisation may have an account. */
export type ServiceSlug = Marketplace | Carrier;

/** Where a parcel is, in the words of the people who handle it. */
export const SHIPMENT_CATEGORIES = [
  'PREPARACION',
  'EN_TRANSITO',
  'INCIDENCIA',
  'ENTREGADO',
  'DEVOLUCION',
  'SINIESTRADO',
  'CANCELADO',
] as const;
export type ShipmentCategory = (typeof SHIPMENT_CATEGORIES)[number];

/**
 * One carrier, described to the engine as a marketplace is: it is called, walked and pushes in the
 * same way.
 */
export interface CarrierConnector<Credentials> extends Service<Credentials> {
  readonly slug: Carrier;
  readonly facts: CarrierFacts;
  readonly shipments: Stream<SourceShipment, Credentials>;
  /** Absent = its account is not prepaid, or it does not tell. */
  readonly balances?: Stream<SourceBalance, Credentials>;
  /** Absent = guides are made elsewhere. */
  guides?(call: Call<Credentials>): GuideDesk;
  /**
   * Where «En camino» is set. Absent = it knows no parcels that the seller's own people carry; one
   * carrier at most has it.
   */
  ownFleet?(call: Call<Credentials>): OwnFleetDesk;
  /**
   * How often, beside the passes, the histories of days on which something changed are read again;
   * absent = never.
   */
  readonly traceEvery?: { readonly minutes: number };
  /**
   * Where a parcel stands by its events alone, in order of arrival; absent = each reading says it
   * by itself.
   */
  standingOf?(inOrder: readonly ToldEvent[]): Standing | null;
  /**
   * Events as the carrier pushes them to an organisation's own address, one or several. Throws
   * ZodError.
   */
  readPushed?(body: unknown): readonly SourceShipmentEvent[];
}

/** How the rest of the product treats a carrier. */
interface CarrierFacts {
  /**
   * Path of the addresses that it pushes events to, one address an organisation; needs
   * `readPushed`. Null = it pushes to no address of that kind.
   */
  readonly eventsPath: `/webhooks/${string}` | null;
  /** The table of its own data model beside the common fields; null = it has none. */
  readonly details: DetailsTable | null;
}

/**
 * Columns beside `organization_id`, `account_id` and `tracking_number`, which are its key. Among
 * them `status_code`, `status_text`, `status_category`, `status_at` and `delivered_at`, which
 * follow the shipment's events.
 */
export interface DetailsTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ToldEvent {
  readonly code: string;
  readonly occurredAt: Instant;
  /** When we heard of it. */
  readonly seenAt: Instant;
}

/** What a parcel's events say of it together. */
export interface Standing {
  readonly carrierStatus: string;
  /** Null = a code that we do not know; then what was known before it stands. */
  readonly category: ShipmentCategory | null;
  readonly formerCategory: ShipmentCategory | null;
  readonly isFinal: boolean;
  readonly isDamaged: boolean;
  readonly pickedUpAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly changedAt: Instant;
}

/** Where guides are made, for one batch: they cost money, and nothing undoes a second one. */
export interface GuideDesk {
  /**
   * Makes one guide. Asked once: whoever is thrown an error that is not `unauthorized` does not
   * know whether there is a guide, and must `find` it before anything else.
   */
  create(request: GuideRequest): Promise<GuideAnswer>;
  /**
   * A guide whose answer was lost, by our reference, among those documented since then; null =
   * there is none.
   */
  find(reference: string, since: Instant): Promise<FoundGuide | null>;
  /** Nulls for what cannot be had now: the guide stands without its labels. */
  labels(tracking: string): Promise<GuideLabels>;
  /** Only before it is collected. */
  cancel(tracking: string): Promise<GuideCancelled>;
}

export interface FoundGuide {
  readonly tracking: string;
  readonly guide: string | null;
  readonly amount: Decimal | null;
}

export type GuideCancelled =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** A shipment in our words. Texts are the carrier's own; amounts keep the decimals that it gave. */
export interface SourceShipment {
  /**
   * The carrier's own identifier, exactly as delivered; Paquetexpress knows a parcel by its
   * tracking number alone.
   */
  readonly id: string;
  readonly trackingNumber: string | null;
  readonly guideNumber: string | null;
  /**
   * Null = a native state that we do not know: the category stored before stays, and an alert
   * begins.
   */
  readonly category: ShipmentCategory | null;
  /** The native state, raw. */
  readonly carrierStatus: string;
  readonly isFinal: boolean;
  readonly isDamaged: boolean;
  /**
   * It brings goods back to the seller: never an order's delivery, whatever its state is called.
   */
  readonly isReturn: boolean;
  /**
   * The shipment of the same account that it follows, such as the one that it brings back or
   * replaces.
   */
  readonly parentId: string | null;
  /** Who carries it in the end, where the carrier only arranges it. */
  readonly finalCarrier: string | null;
  readonly serviceType: string | null;
  readonly cost: Decimal | null;
  readonly currency: string;
  readonly declaredValue: Decimal | null;
  readonly createdAt: Instant;
  readonly pickedUpAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly estimatedDelivery: Instant | null;
  readonly origin: ShipmentPlace | null;
  readonly destination: ShipmentPlace | null;
  readonly packages: readonly ShipmentPackage[];
  /** How the carrier names the order: its reference, and the marketplaces' own identifiers. */
  readonly orderReference: string | null;
  readonly relations: readonly ChannelRelation[];
  readonly events: readonly SourceShipmentEvent[];
  /** The carrier's own data model beside the common fields, by field name; null = it has none. */
  readonly details: Readonly<Record<string, string | number | null>> | null;
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
  /** The document as received, as JSON text. */
  readonly raw: string;
}

export interface ShipmentPlace {
  readonly name: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zipcode: string | null;
}

export interface ShipmentPackage {
  readonly sku: string | null;
  readonly content: string | null;
  readonly quantity: number;
  readonly weightKg: Decimal | null;
  readonly lengthCm: Decimal | null;
  readonly widthCm: Decimal | null;
  readonly heightCm: Decimal | null;
}

/** What ties a shipment to an order of a marketplace. */
export interface ChannelRelation {
  readonly channel: string | null;
  readonly orderId: string | null;
  readonly packId: string | null;
  readonly tags: readonly string[];
}

/** `webhook`: it was sent to us. `tracking_history`: we asked for it. */
export type EventSource = 'webhook' | 'tracking_history';

export interface SourceShipmentEvent {
  readonly trackingNumber: string;
  /** The carrier's own code: `eventoId` of Paquetexpress, the state's code of Zipnova. */
  readonly code: string;
  /** Null = a code that we do not know. */
  readonly category: ShipmentCategory | null;
  readonly description: string | null;
  readonly location: string | null;
  readonly occurredAt: Instant;
  readonly raw: string;
}

/**
 * One parcel to be documented, complete: nothing is asked of the carrier before every field is
 * there.
 */
export interface GuideRequest {
  /** Ours, unique for every parcel: by it a guide is found again whose answer was lost. */
  readonly reference: string;
  readonly origin: GuideAddress;
  readonly destination: GuideAddress;
  readonly destinationTaxId: string;
  readonly packages: number;
  readonly weightKg: Decimal;
  readonly lengthCm: Decimal;
  readonly widthCm: Decimal;
  readonly heightCm: Decimal;
  readonly packageCode: string;
  readonly content: string;
  readonly deliveryType: string;
  readonly paymentForm: string;
  readonly acknowledgement: string;
  readonly coverage: string;
  readonly serviceType: string;
  readonly productId: string;
  readonly comments: string | null;
}

export interface GuideAddress {
  readonly name: string;
  readonly country: string;
  readonly state: string;
  readonly municipality: string;
  readonly city: string;
  readonly colony: string;
  readonly street: string;
  readonly number: string;
  readonly zipcode: string;
  readonly phone: string;
  readonly email: string | null;
}

/**
 * Nulls where the carrier did not say. A refusal is an answer: nothing was made and nothing will be
 * paid.
 */
export type GuideAnswer =
  | {
      readonly ok: true;
      readonly tracking: string;
      readonly guide: string | null;
      readonly amount: Decimal | null;
      readonly availableBalance: Decimal | null;
      readonly raw: string;
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly raw: string };

export interface GuideLabels {
  readonly zpl: string | null;
  readonly pdfBase64: string | null;
}

/** Parcels that the seller's own people carry, and whose state the seller tells the carrier. */
export interface OwnFleetDesk {
  /** The carrier's ids of all its living shipments that take an order to its buyer. */
  find(order: { readonly marketplace: Marketplace; readonly orderId: string }): Promise<string[]>;
  /** As it stands now; null = there is none. */
  read(id: string): Promise<LiveShipment | null>;
  /**
   * Asked once. After an error it is not known whether it was done, and the shipment must be
   * `read`.
   */
  setInTransit(id: string): Promise<OwnFleetAnswer>;
}

/** A refusal has the carrier's own words: plain lines of bounded length, at most a few. */
type OwnFleetAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** A shipment as the carrier shows it at this moment. */
export interface LiveShipment {
  readonly id: string;
  readonly carrierStatus: string;
  readonly isFinal: boolean;
  readonly isOwnFleet: boolean;
  /** Seen from `in_transit`: not so far yet, right there, or beyond it (or ended). */
  readonly place: 'before' | 'there' | 'past';
}
