import { z } from 'zod';
import type { BillingData } from '../contract.ts';
import { id, looseText, optional } from '../kit.ts';

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
  buyer: z.object({ billing_info: z.object({ id }) }),
});

/** The order of a row of a search, and what its data are requested by; null = none. */
export function billingIdOf(row: unknown): { orderId: string; billingId: string } | null {
  const order = OrderRow.safeParse(row).data;
  if (!order || order.status === 'cancelled') return null;
  return { orderId: order.id, billingId: order.buyer.billing_info.id };
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
