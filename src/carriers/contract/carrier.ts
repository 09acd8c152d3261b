import type {
  Call,
  Marketplace,
  Service,
  SourceBalance,
  Stream,
} from '../../connectors/contract.ts';
import type { CarrierFacts } from './carrier-facts.ts';
import type { GuideApi } from './guides.ts';
import type { OwnFleetApi } from './own-fleet.ts';
import type {
  ReportedEvent,
  SourceShipment,
  SourceShipmentEvent,
  Standing,
} from './source-shipment.ts';

/** The specification's carrier A and carrier B. */
export const CARRIERS = ['zipnova', 'paquetexpress'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** A service where an organisation may have an account. */
export type ServiceSlug = Marketplace | Carrier;

/**
 * One carrier, described to the engine like a marketplace: it is called, read by streams, and sends
 * webhooks in the same way.
 */
export interface CarrierConnector<Credentials> extends Service<Credentials> {
  readonly slug: Carrier;
  readonly facts: CarrierFacts;
  readonly shipments: Stream<SourceShipment, Credentials>;
  /** Absent = its account is not prepaid, or its balance is not available. */
  readonly balances?: Stream<SourceBalance, Credentials>;
  /** Absent = guides are made elsewhere. */
  guides?(call: Call<Credentials>): GuideApi;
  /**
   * Sets «En camino». Absent = it has no parcels of own fleets. One carrier at most has it.
   */
  ownFleet?(call: Call<Credentials>): OwnFleetApi;
  /**
   * How often, besides the sync runs, the histories of days on which something changed are read
   * again; absent = never.
   */
  readonly traceEvery?: { readonly minutes: number };
  /**
   * The state of a parcel by its events alone, in order of arrival. Absent = each reading gives the
   * state itself.
   */
  standingOf?(inOrder: readonly ReportedEvent[]): Standing | null;
  /**
   * Reads the events, one or several, of a webhook to an organisation's own address. Throws
   * ZodError.
   */
  readPushed?(body: unknown): readonly SourceShipmentEvent[];
}
