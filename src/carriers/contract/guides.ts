import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { GuideRequest } from './guide-request.ts';

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
