import type { OtherAmount, TotalIncludes } from '../../../connectors/contract.ts';
import { type Members, membersOf, type Whole } from '../../../platform/documents.ts';
import { amount, flag, list, orNull, text, time } from '../../../platform/fields.ts';
import type { PublicOrder } from '../order.ts';

// The public fields of what an order consists of, beside its items and its shipping.

export const NOT_GIVEN = 'null si el marketplace no lo entrega.';
export const DEFAULT_CURRENCY = 'MXN';

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
