import { z } from 'zod';
import { MARKETPLACES, ORDER_STATUSES } from '../../connectors/contract.ts';
import { isRawNumber, isStorable, parseLossless } from '../../platform/json.ts';
import { type Decimal, parseDecimal } from '../../platform/money.ts';
import { type Instant, parseInstant } from '../../platform/time.ts';
import type { Order } from './order.ts';

/** Why a line is no order: a sentence in Spanish. */
export class UnreadableOrder extends Error {}

/** Whose order it is when the line does not say. */
const IMPORT_ACCOUNT = 'import';
const MOST_ITEMS = 1_000;

const text = z.string({ error: 'debe ser un texto' });
const filled = text.min(1, { error: 'no puede estar vacío' }).max(500, { error: 'es demasiado largo' });
const orNull = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);
const instant = read<Instant>('debe ser una fecha y hora ISO 8601 con Z o desfase', (value) =>
  typeof value === 'string' ? parseInstant(value) : null,
);
const amount = read<Decimal>('debe ser un número', (value) =>
  isRawNumber(value) ? parseDecimal(value.rawJSON) : null,
);
const quantity = read<number>('debe ser un número entero de cero o más', (value) => {
  const number = isRawNumber(value) ? Math.ceil(Number(value.rawJSON)) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
});
const flag = z.boolean({ error: 'debe ser true o false' });

const Item = z.object(
  {
    title: text,
    quantity,
    unit_price: amount,
    sku: orNull(text),
    id: orNull(text),
    variation: orNull(text),
    subtotal: orNull(amount),
    currency: orNull(filled),
  },
  { error: 'debe ser un objeto' },
);

const Shipping = z.object({
  carrier: orNull(text),
  tracking_number: orNull(text),
  method: orNull(text),
  status: orNull(text),
  shipped_at: orNull(instant),
  delivered_at: orNull(instant),
});

/** The API's own fields, of lists and of the detail; what it does not know is left aside. */
const Line = z.object(
  {
    id: filled,
    marketplace: z.enum(MARKETPLACES, { error: `debe ser uno de: ${MARKETPLACES.join(', ')}` }),
    account_id: orNull(filled),
    status: z.enum(ORDER_STATUSES, { error: `debe ser uno de: ${ORDER_STATUSES.join(', ')}` }),
    total: orNull(amount),
    currency: orNull(filled),
    buyer_name: orNull(text),
    date_created: instant,
    date_closed: orNull(instant),
    items: z
      .array(Item, { error: 'debe ser una lista' })
      .max(MOST_ITEMS, { error: `admite hasta ${MOST_ITEMS} artículos` }),
    marketplace_status: orNull(text),
    payment_status: orNull(text),
    fulfillment_status: orNull(text),
    subtotal: orNull(amount),
    discount_total: orNull(amount),
    shipping_total: orNull(amount),
    tax_total: orNull(amount),
    fees_total: orNull(amount),
    net_total: orNull(amount),
    refunded_total: orNull(amount),
    refunds: orNull(z.array(z.object({ amount, at: orNull(instant) }))),
    shipping: orNull(Shipping),
    cfdi: orNull(z.object({ required: orNull(flag) })),
    channel_relations: orNull(z.object({ pack_id: orNull(text), tags: orNull(z.array(text)) })),
  },
  { error: 'debe ser un objeto JSON' },
);

/**
 * Reads one canonical order from a line of JSON.
 * @throws UnreadableOrder
 */
export function readOrder(line: string, fetchedAt: Instant): Order {
  const parsed = Line.safeParse(parse(line));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.');
    throw new UnreadableOrder(
      field
        ? `El campo ${field} ${issue?.message ?? 'no es válido'}.`
        : `La línea ${issue?.message ?? 'no es válida'}.`,
    );
  }
  const order = parsed.data;
  const currency = order.currency ?? 'MXN';
  return {
    id: order.id,
    marketplace: order.marketplace,
    accountId: order.account_id ?? IMPORT_ACCOUNT,
    connectionId: null,
    status: order.status,
    marketplaceStatus: order.marketplace_status ?? order.status,
    paymentStatus: order.payment_status,
    fulfillmentStatus: order.fulfillment_status,
    currency,
    total: order.total,
    subtotal: order.subtotal,
    discountTotal: order.discount_total,
    shippingTotal: order.shipping_total,
    taxTotal: order.tax_total,
    feesTotal: order.fees_total,
    netTotal: order.net_total,
    refundedTotal: order.refunded_total,
    refunds: order.refunds ?? [],
    buyerName: order.buyer_name,
    dateCreated: order.date_created,
    dateClosed: order.date_closed,
    items: order.items.map((item) => ({
      id: item.id,
      sku: item.sku,
      title: item.title,
      variation: item.variation,
      quantity: item.quantity,
      unitPrice: item.unit_price,
      subtotal: item.subtotal,
      currency: item.currency ?? currency,
    })),
    shipping: order.shipping && {
      carrier: order.shipping.carrier,
      trackingNumber: order.shipping.tracking_number,
      method: order.shipping.method,
      status: order.shipping.status,
      shippedAt: order.shipping.shipped_at,
      deliveredAt: order.shipping.delivered_at,
    },
    invoiceRequired: order.cfdi?.required ?? null,
    packId: order.channel_relations?.pack_id ?? null,
    tags: order.channel_relations?.tags ?? [],
    changedAt: null,
    fetchedAt,
    keep: [],
    raw: null,
  };
}

function parse(line: string): unknown {
  let value: unknown;
  try {
    value = parseLossless(line);
  } catch {
    throw new UnreadableOrder('La línea no es JSON válido.');
  }
  if (!isStorable(value)) throw new UnreadableOrder('La línea tiene caracteres que no son texto.');
  return value;
}

function read<T>(sentence: string, from: (value: unknown) => T | null): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const found = from(value);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: sentence });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}
