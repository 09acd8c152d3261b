import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** The public states of a parcel. */
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
  /** Returns goods to the seller: never the delivery of an order, whatever its state. */
  readonly isReturn: boolean;
  /**
   * The shipment of the same account that it follows, such as the one that it returns or replaces.
   */
  readonly parentId: string | null;
  /** The carrier of the last leg, where this one is an intermediary. */
  readonly finalCarrier: string | null;
  readonly serviceType: string | null;
  readonly cost: Decimal | null;
  readonly currency: string;
  readonly declaredValue: Decimal | null;
  readonly createdAt: Instant;
  readonly pickedUpAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly estimatedDelivery: Instant | null;
  readonly origin: ShipmentLocation | null;
  readonly destination: ShipmentLocation | null;
  readonly packages: readonly ShipmentPackage[];
  /** The carrier's names of the order: its reference, and the marketplaces' own identifiers. */
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

/** Without the person there. */
export interface ShipmentLocation {
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

/** A reference of a shipment to an order of a marketplace. */
export interface ChannelRelation {
  readonly channel: string | null;
  readonly orderId: string | null;
  readonly packId: string | null;
  readonly tags: readonly string[];
}

/** `webhook`: sent to us. `tracking_history`: requested by us. */
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

export interface ReportedEvent {
  readonly code: string;
  readonly occurredAt: Instant;
  /** When we received it. */
  readonly seenAt: Instant;
}

/** The state of a parcel according to all its events. */
export interface Standing {
  readonly carrierStatus: string;
  /** Null = an unknown code; the former category stays valid. */
  readonly category: ShipmentCategory | null;
  readonly formerCategory: ShipmentCategory | null;
  readonly isFinal: boolean;
  readonly isDamaged: boolean;
  readonly pickedUpAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly changedAt: Instant;
}
