import type {
  Call,
  Marketplace,
  Service,
  SourceBalance,
  Stream,
} from '../../connectors/contract.ts';
import type { GuideApi, GuideDefaults } from './guides.ts';
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

/** How the rest of the product treats a carrier. */
interface CarrierFacts {
  /**
   * Path of the addresses that it sends webhooks to, one address an organisation; needs
   * `readPushed`. Null = it has no such webhooks.
   */
  readonly eventsPath: `/webhooks/${string}` | null;
  /** The table of its own data model beside the common fields; null = it has none. */
  readonly details: DetailsTable | null;
  /** Null = guides are made elsewhere. */
  readonly guideDefaults: GuideDefaults | null;
}

/**
 * Columns beside `organization_id`, `account_id` and `tracking_number`, which are its key. Among
 * them `status_code`, `status_text`, `status_category`, `status_at` and `delivered_at`, which
 * follow the shipment's events.
 */
export interface DetailsTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Those of them that may identify a buyer; they are stored sealed. */
  readonly personal: readonly string[];
}
