import type { Decimal } from '../../platform/money.ts';

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
