import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** Makes guides, for one batch. A guide costs money, and a second one cannot be undone. */
export interface GuideApi {
  /**
   * Makes one guide; not idempotent. After any error but `unauthorized` the guide may exist: the
   * caller must `find` it first.
   */
  create(request: GuideRequest): Promise<GuideAnswer>;
  /** Finds a guide by our reference among those documented in the span; null = there is none. */
  find(reference: string, span: ListedSpan): Promise<FoundGuide | null>;
  /** Null = not available now; the guide is valid without its labels. */
  labels(tracking: string): Promise<GuideLabels>;
  /** Only before it is collected. */
  cancel(tracking: string): Promise<GuideCancelled>;
}

/** The end may lie ahead. A short span keeps the listing short. */
export interface ListedSpan {
  readonly from: Instant;
  readonly to: Instant;
}

export interface FoundGuide {
  readonly tracking: string;
  readonly guide: string | null;
  readonly amount: Decimal | null;
  /** No parcel may travel with it. */
  readonly isCancelled: boolean;
}

export type GuideCancelled =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * One parcel to be documented, complete: nothing is asked of the carrier before every field is
 * there.
 */
export interface GuideRequest {
  /** Ours, unique per parcel; finds a guide again whose answer was lost. */
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

/** The fields of every guide besides the parcel itself; each organisation may change them. */
export interface GuideDefaults {
  readonly destination_tax_id: string;
  readonly country: string;
  readonly package_code: string;
  readonly content: string;
  readonly delivery_type: string;
  readonly payment_form: string;
  readonly acknowledgement: string;
  readonly coverage: string;
  readonly service_type: string;
  readonly product_id: string;
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
 * Null where the carrier gave no value. A refusal means that no guide was made and nothing is
 * charged.
 */
export type GuideAnswer =
  | {
      readonly ok: true;
      readonly tracking: string;
      readonly guide: string | null;
      readonly amount: Decimal | null;
      readonly availableBalance: Decimal | null;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface GuideLabels {
  readonly zpl: string | null;
  readonly pdfBase64: string | null;
}
