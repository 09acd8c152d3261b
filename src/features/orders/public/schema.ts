import { ORDER_STATUSES } from '../../../connectors/contract.ts';
import { fieldsIn, fieldsOf } from '../../../platform/documents.ts';
import { listOf, shape, stamp, text, time, word } from '../../../platform/fields.ts';
import { ORDER } from './fields.ts';
import { ITEM } from './item-fields.ts';

const LAST_UPDATED = stamp(
  'Cambia cuando cambia cualquier dato de la orden.',
  '2026-11-16T18:00:00.000001Z',
);

const STATUS_CHANGE = shape('Un estado por el que pasó la orden.', {
  status: word(ORDER_STATUSES, 'El estado.', 'paid'),
  marketplace_status: text('El estado con las palabras del marketplace.', 'paid'),
  at: time(
    'Cuándo dice el marketplace que cambió la orden, al verla en ese estado; en la primera lectura puede ser posterior al estado.',
    '2026-11-15T12:01:30.000Z',
  ),
});

const ITEM_IN_LISTS = shape('Un producto de la orden.', fieldsIn('list', ITEM));
const DETAIL_ITEM = shape('Un producto de la orden, con todo su detalle.', fieldsOf(ITEM));

/** The published shapes of orders, by their names in the OpenAPI document. */
export const ORDER_SHAPES = {
  Item: ITEM_IN_LISTS,
  DetailItem: DETAIL_ITEM,
  Order: shape('Una orden, como aparece en las listas.', {
    ...fieldsIn('list', ORDER),
    items: listOf('Productos de la orden.', ITEM_IN_LISTS),
    last_updated: LAST_UPDATED,
  }),
  OrderDetail: shape('Una orden con todo su detalle.', {
    ...fieldsOf(ORDER),
    items: listOf('Productos de la orden.', DETAIL_ITEM),
    status_history: listOf(
      'Los estados por los que pasó la orden desde que Tianguis la lee, del primero al último.',
      STATUS_CHANGE,
    ),
    last_updated: LAST_UPDATED,
  }),
};
