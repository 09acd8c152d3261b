import { z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import type { BillingData } from '../contract.ts';
import { id, instant, looseText, optional } from '../wire-fields.ts';
import { isPaid } from './wire.ts';

// What a buyer gave for the invoice of an order. Only the fields that an invoice needs.

const Word = optional(z.object({ id: looseText, description: looseText }));

const BillingInfo = z.object({
  name: looseText,
  last_name: looseText,
  identification: optional(z.object({ type: looseText, number: looseText })),
  taxes: optional(z.object({ taxpayer_type: Word, cfdi: Word })),
  address: optional(
    z.object({
      street_name: looseText,
      street_number: looseText,
      neighborhood: looseText,
      city_name: looseText,
      state: optional(z.object({ name: looseText })),
      zip_code: looseText,
    }),
  ),
});
const Answer = z.object({ buyer: z.object({ billing_info: optional(BillingInfo) }) });

const OrderRow = z.object({
  id,
  status: z.string(),
  date_created: instant,
  /** By the time of the index, as the search filters. */
  date_last_updated: instant,
  buyer: z.object({ billing_info: z.object({ id }) }),
});

/** A paid order, and what its data are requested by. */
export interface BillingOrder {
  readonly orderId: string;
  readonly billingId: string;
  readonly createdAt: Instant;
  readonly changedAt: Instant;
}

/** Of a row of a search; null = it is not paid, or there are none. */
export function billingOrderOf(row: unknown): BillingOrder | null {
  const order = OrderRow.safeParse(row).data;
  if (!order || !isPaid(order.status)) return null;
  return {
    orderId: order.id,
    billingId: order.buyer.billing_info.id,
    createdAt: order.date_created,
    changedAt: order.date_last_updated,
  };
}

/** A person may be identified by a CURP instead, and then gave no RFC. */
const RFC = 'RFC';

/** Null while the marketplace still processes them, and without an RFC. */
export function toBillingData(document: unknown): BillingData | null {
  const info = Answer.parse(document).buyer.billing_info;
  if (info === null) return null;
  const { identification, taxes, address } = info;
  const rfc = identification?.number ?? null;
  if (rfc === null || (identification?.type ?? RFC) !== RFC) return null;
  const names = [info.name, info.last_name].filter((part) => part !== null && part !== '');
  return {
    name: names.length > 0 ? names.join(' ') : null,
    rfc: rfc.toUpperCase(),
    regime: taxes?.taxpayer_type?.id ?? taxes?.taxpayer_type?.description ?? null,
    cfdiUse: taxes?.cfdi?.id ?? taxes?.cfdi?.description ?? null,
    street: [address?.street_name, address?.street_number].filter(Boolean).join(' ') || null,
    neighborhood: address?.neighborhood ?? null,
    city: address?.city_name ?? null,
    state: address?.state?.name ?? null,
    zipcode: address?.zip_code ?? null,
  };
}
