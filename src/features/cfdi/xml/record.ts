/**
 * What is read from the XML of a tax document. Names are ours, values the document's own: codes of
 * the SAT's catalogues are kept as they are, also those that we do not know; amounts have the
 * digits of the document. Null = the document does not have it.
 */
import type { Decimal } from '../../../platform/money.ts';

/** What CFDI and withholding certificates have in common. */
export interface Stamped {
  readonly uuid: string;
  /** UTC with milliseconds, as all instants of a record. */
  readonly stamped_at: string;
  readonly version: string;
  /** As written, without a zone. */
  readonly issued_at_text: string;
  readonly issued_at: string;
  readonly certificate_no: string | null;
  /** The last eight characters of the seal, by which the SAT is asked for the status. */
  readonly seal_end: string | null;
  readonly complements: readonly Complement[];
}

/** One element of a complement node, whether we read it or not; those of items once each. */
export interface Complement {
  readonly namespace: string;
  readonly name: string;
  readonly is_read: boolean;
}

/** A CFDI 4.0 or 3.3 (`Comprobante`). */
export interface CfdiRecord extends Stamped {
  readonly kind: 'cfdi';
  readonly serie: string | null;
  readonly folio: string | null;
  /** I ingreso, E egreso, T traslado, P pago, N nómina. */
  readonly type: string;
  readonly issuer_rfc: string;
  readonly issuer_name: string | null;
  readonly issuer_regime: string | null;
  readonly receiver_rfc: string;
  readonly receiver_name: string | null;
  readonly receiver_regime: string | null;
  readonly receiver_zip: string | null;
  readonly cfdi_use: string | null;
  readonly payment_form: string | null;
  /** PUE or PPD. */
  readonly payment_method: string | null;
  readonly currency: string;
  readonly exchange_rate: Decimal | null;
  readonly subtotal: Decimal;
  readonly discount: Decimal | null;
  readonly total: Decimal;
  readonly export: string | null;
  readonly place_zip: string;
  readonly conditions: string | null;
  /** «FacAtrAdquirente»: the receiver issued it for the issuer. */
  readonly is_by_receiver: boolean;
  readonly total_transferred: Decimal | null;
  readonly total_withheld: Decimal | null;
  readonly taxes_transferred: readonly Tax[];
  readonly taxes_withheld: readonly Tax[];
  readonly items: readonly CfdiItem[];
  readonly global_info: GlobalInfo | null;
  readonly related: readonly Related[];
  readonly payments: readonly Payment[];
  /** Of all payments, in pesos («MontoTotalPagos»); absent in records of older readers. */
  readonly payments_total?: Decimal | null;
}

export interface Tax {
  readonly base: Decimal | null;
  /** 001 ISR, 002 IVA, 003 IEPS. */
  readonly tax: string;
  /** Tasa, Cuota or Exento. */
  readonly factor: string | null;
  readonly rate: Decimal | null;
  /** Null for Exento. */
  readonly amount: Decimal | null;
}

export interface CfdiItem {
  readonly product_code: string | null;
  readonly sku: string | null;
  readonly quantity: Decimal;
  readonly unit_code: string | null;
  readonly unit: string | null;
  readonly description: string;
  readonly unit_value: Decimal;
  readonly amount: Decimal;
  readonly discount: Decimal | null;
  readonly tax_object: string | null;
  readonly taxes_transferred: readonly Tax[];
  readonly taxes_withheld: readonly Tax[];
  readonly third_party: ThirdParty | null;
  /** Numbers of customs declarations («pedimentos»). */
  readonly customs: readonly string[];
}

interface ThirdParty {
  readonly rfc: string;
  readonly name: string | null;
  readonly regime: string | null;
  readonly zip: string | null;
}

interface GlobalInfo {
  readonly periodicity: string;
  readonly months: string;
  readonly year: string;
}

export interface Related {
  readonly relation: string;
  readonly uuids: readonly string[];
}

export interface Payment {
  readonly paid_at_text: string;
  readonly payment_form: string | null;
  readonly currency: string;
  readonly exchange_rate: Decimal | null;
  readonly amount: Decimal;
  readonly operation_no: string | null;
  readonly documents: readonly PaidDocument[];
}

export interface PaidDocument {
  /** Of the paid invoice; null in files that lack it. */
  readonly uuid: string | null;
  readonly serie: string | null;
  readonly folio: string | null;
  readonly currency: string | null;
  readonly exchange_rate: Decimal | null;
  readonly installment: string | null;
  readonly balance_before: Decimal | null;
  readonly paid: Decimal | null;
  readonly balance_after: Decimal | null;
  readonly tax_object: string | null;
}

/** A withholding certificate (`Retenciones` 2.0 or 1.0). */
export interface WithholdingRecord extends Stamped {
  readonly kind: 'withholding';
  readonly folio: string | null;
  readonly withholding_code: string;
  readonly issuer_rfc: string;
  readonly issuer_name: string | null;
  /** Null = a foreigner. */
  readonly receiver_rfc: string | null;
  readonly receiver_name: string | null;
  readonly first_month: string;
  readonly last_month: string;
  readonly year: string;
  readonly operation_total: Decimal;
  readonly taxed_total: Decimal | null;
  readonly exempt_total: Decimal | null;
  readonly withheld_total: Decimal;
  readonly withheld: readonly WithheldTax[];
  /** The certificate before, which this one corrects; absent in records of older readers. */
  readonly replaces?: string | null;
  readonly platform: PlatformServices | null;
}

interface WithheldTax {
  readonly base: Decimal | null;
  /** 001 ISR, 002 IVA, 003 IEPS. */
  readonly tax: string | null;
  readonly amount: Decimal;
  readonly payment_type: string | null;
}

/** Of the complement of technological platforms. */
export interface PlatformServices {
  readonly periodicity: string;
  readonly services: string;
  readonly total_without_tax: Decimal;
  readonly vat_transferred: Decimal;
  readonly vat_withheld: Decimal;
  readonly isr_withheld: Decimal;
  readonly vat_difference: Decimal | null;
  readonly platform_fees: Decimal | null;
  readonly details: readonly PlatformSale[];
}

interface PlatformSale {
  readonly payment_form: string | null;
  readonly service_type: string | null;
  readonly service_subtype: string | null;
  /** A day, as written. */
  readonly date: string;
  readonly price: Decimal;
  readonly vat: Decimal | null;
  readonly commission: Decimal | null;
}

export type TaxDocument = CfdiRecord | WithholdingRecord;
