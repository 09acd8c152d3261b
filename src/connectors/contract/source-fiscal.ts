import type { Instant } from '../../platform/time.ts';

/** What a buyer gave for the invoice of an order. Null = not given. */
export interface BillingData {
  readonly name: string | null;
  readonly rfc: string;
  /** Codes of the SAT. */
  readonly regime: string | null;
  readonly cfdiUse: string | null;
  readonly street: string | null;
  readonly neighborhood: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zipcode: string | null;
}

export interface SourceBillingData {
  readonly orderId: string;
  readonly data: BillingData;
}

/** What the stream of invoices consists of. */
export type SourceFiscal = SourceInvoice | SourceBillingData;

export function isBillingData(item: SourceFiscal): item is SourceBillingData {
  return 'data' in item;
}

export function isInvoice(item: SourceFiscal): item is SourceInvoice {
  return !isBillingData(item);
}

/** A tax-invoice document of an order, kept by the marketplace. */
export interface SourceInvoice {
  readonly id: string;
  readonly orderIds: readonly string[];
  readonly fileName: string | null;
  /** The folio fiscal, where the marketplace gives it. */
  readonly uuid: string | null;
  /** The bytes of the CFDI as received; null = only its address or an image is available. */
  readonly xml: Uint8Array | null;
  readonly url: string | null;
  readonly issuedAt: Instant | null;
}
