import type { SourceItem } from '../../../connectors/contract.ts';
import { membersOf } from '../../../platform/documents.ts';
import { amount, flag, name, orNull, text, whole, withDefault } from '../../../platform/fields.ts';
import { complete, DEFAULT_CURRENCY, NOT_GIVEN } from './parts.ts';

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
