import type {
  OtherAmount,
  SourceItem,
  SourceShipping,
  TotalIncludes,
} from '../../../connectors/contract.ts';
import { type Members, membersOf, type Whole } from '../../../platform/documents.ts';
import {
  amount,
  flag,
  list,
  name,
  orNull,
  text,
  time,
  whole,
  withDefault,
} from '../../../platform/fields.ts';
import type { PublicOrder } from '../order.ts';

// The public fields of what an order consists of: items, refunds, amounts and shipping.

export const NOT_GIVEN = 'null si el marketplace no lo entrega.';
export const DEFAULT_CURRENCY = 'MXN';

const item = membersOf<SourceItem>();
export const ITEM = complete<SourceItem>()({
  title: item.brief('title', text('Nombre del producto en la publicación.', 'Taza azul')),
  quantity: item.brief('quantity', whole('Piezas que se ordenaron.', 2)),
  unit_price: item.brief(
    'unitPrice',
    amount('Lo que el comprador paga por una pieza, ya con los descuentos del renglón.', 129.95),
  ),
  sku: item.brief('sku', orNull(text(`SKU del vendedor; ${NOT_GIVEN}`, 'TAZA-AZUL', 255))),
  id: item.full(
    'id',
    orNull(text(`Identificador de la publicación; ${NOT_GIVEN}`, 'MLM1234567890')),
  ),
  variation: item.full(
    'variation',
    orNull(text(`Variante, como color o talla; ${NOT_GIVEN}`, 'Color: azul')),
  ),
  list_price: item.full(
    'listPrice',
    orNull(amount(`Precio de una pieza antes de descuentos; ${NOT_GIVEN}`, 149.95)),
  ),
  cancelled_quantity: item.full(
    'cancelledQuantity',
    withDefault(whole('Piezas de este renglón que después se cancelaron o devolvieron.', 0), 0),
  ),
  quantity_known: item.full(
    'quantityKnown',
    withDefault(flag('Si el marketplace todavía dice cuántas piezas se ordenaron.', true), true),
  ),
  subtotal: item.full(
    'subtotal',
    orNull(amount('Importe del renglón, ya con sus descuentos; null si no se conoce.', 259.9)),
  ),
  currency: item.full(
    'currency',
    withDefault(name('Moneda del renglón.', DEFAULT_CURRENCY, 255), ''),
  ),
});

const refund = membersOf<PublicOrder['refunds'][number]>();
export const REFUND = {
  amount: refund.full('amount', amount('Importe reembolsado.', 50)),
  at: refund.full(
    'at',
    orNull(time(`Cuándo se reembolsó; ${NOT_GIVEN}`, '2026-11-16T10:00:00.000Z')),
  ),
};

const other = membersOf<OtherAmount>();
export const OTHER = {
  name: other.full('name', text('Nombre con el que lo da el marketplace.', 'tip')),
  amount: other.full('amount', amount('Importe; negativo si resta.', 20)),
};

const includes = membersOf<TotalIncludes>();
export const TOTAL_INCLUDES = {
  shipping: includes.full(
    'shipping',
    flag('Si `total` ya trae el envío (`shipping_total`).', true),
  ),
  tax: includes.full(
    'tax',
    flag('Si `total` ya trae los impuestos que se suman (`tax_added`).', true),
  ),
  order_discount: includes.full(
    'orderDiscount',
    flag('Si `total` ya tiene restado el descuento de la orden (`order_discount`).', true),
  ),
};

const shipping = membersOf<SourceShipping>();
export const SHIPPING = {
  carrier: shipping.full('carrier', orNull(text(`Paquetería; ${NOT_GIVEN}`, 'Estafeta'))),
  tracking_number: shipping.full(
    'trackingNumber',
    orNull(text(`Número de guía; ${NOT_GIVEN}`, '6055900600123456789012')),
  ),
  method: shipping.full(
    'method',
    orNull(text(`Servicio de envío; ${NOT_GIVEN}`, 'Estándar a domicilio')),
  ),
  status: shipping.full(
    'status',
    orNull(text(`Estado del envío con las palabras del marketplace; ${NOT_GIVEN}`, 'shipped')),
  ),
  shipped_at: shipping.full(
    'shippedAt',
    orNull(
      time('Cuándo salió; null si no ha salido o no se sabe cuándo.', '2026-11-16T09:30:00.000Z'),
    ),
  ),
  delivered_at: shipping.full(
    'deliveredAt',
    orNull(
      time(
        'Cuándo se entregó; null si no se ha entregado o no se sabe cuándo.',
        '2026-11-18T17:05:00.000Z',
      ),
    ),
  ),
};

export const TAGS = list(
  'Etiquetas que le puso el marketplace, y de Tianguis: `open_return` mientras hay una devolución abierta, ' +
    '`open_claim` mientras hay un reclamo abierto (según el marketplace, que no siempre lo dice), ' +
    '`cancellation_requested` mientras se decide una solicitud de cancelación, ' +
    '`fulfilled_by_marketplace` si la envía el marketplace.',
  text('Una etiqueta.', 'pack_order', 255),
);

/** Requires a table to have every property of its type. */
export function complete<Of extends object>() {
  return <const Given extends Members<Of>>(members: Given & Whole<Of, Given>): Given => members;
}
