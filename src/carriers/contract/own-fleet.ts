import type { Marketplace } from '../../connectors/contract.ts';

/** Parcels carried by the seller's own fleet, whose state the seller sets at the carrier. */
export interface OwnFleetApi {
  /** The carrier's ids of all its living shipments that take an order to its buyer. */
  find(order: { readonly marketplace: Marketplace; readonly orderId: string }): Promise<string[]>;
  /** Its current state; null = there is none. */
  read(id: string): Promise<LiveShipment | null>;
  /**
   * Not idempotent. After an error the change may have been made: `read` the shipment.
   */
  setInTransit(id: string): Promise<OwnFleetAnswer>;
}

/** A refusal has the carrier's own sentences: a few plain lines of bounded length. */
type OwnFleetAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** A shipment as the carrier shows it at this moment. */
export interface LiveShipment {
  readonly id: string;
  readonly carrierStatus: string;
  readonly isFinal: boolean;
  readonly isOwnFleet: boolean;
  /** Relative to `in_transit`: before it, at it, or after it (or ended). */
  readonly progress: 'before' | 'there' | 'past';
}
