import type { GuideDefaults } from './guide-request.ts';

/** How the rest of the product treats a carrier. */
export interface CarrierFacts {
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
