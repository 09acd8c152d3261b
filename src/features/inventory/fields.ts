import { MARKETPLACES } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { IN_ANSWERS, IN_EVENTS, membersOf, writerOf } from '../../platform/documents.ts';
import { flag, orNull, text, time, whole, word } from '../../platform/fields.ts';
import { type StockLevel, WAREHOUSES } from './stock.ts';

const level = membersOf<StockLevel>();

/** Every field of the public level. */
export const LEVEL = {
  marketplace: level.brief('marketplace', word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0])),
  account_id: level.brief('accountId', text('La cuenta del marketplace.', '468424241')),
  item_id: level.full('itemId', text('La publicación en el marketplace.', 'MLM1234567890')),
  variation_id: level.full(
    ({ variationId }) => (variationId === '' ? null : variationId),
    orNull(text('La variante; null si la publicación no tiene.', '174997747229')),
  ),
  warehouse: level.brief(
    'warehouse',
    word(
      WAREHOUSES,
      'seller: lo que tiene el vendedor; marketplace: lo que guarda Full o FBA.',
      'seller',
    ),
  ),
  sku: level.brief('sku', orNull(text('null si la publicación no tiene SKU.', 'TAZA-AZUL'))),
  title: level.brief('title', text('Nombre del producto en la publicación.', 'Taza azul')),
  available: level.brief(
    'available',
    orNull(whole('Piezas a la venta; null si no hay límite.', 12)),
  ),
  is_unlimited: level.brief(
    ({ available }) => available === null,
    flag('true = se vende sin llevar la cuenta.', false),
    IN_ANSWERS,
  ),
  reserved: level.brief(
    reservedOf,
    orNull(
      whole(
        'Piezas que están y no se pueden vender (apartadas, en revisión); null si no se informa.',
        2,
      ),
    ),
    IN_ANSWERS,
  ),
  total: level.brief(
    totalOf,
    orNull(whole('available más reserved; null si falta alguno.', 14)),
    IN_ANSWERS,
  ),
  unavailable: level.brief(
    'unavailable',
    whole('Piezas que están y no se pueden vender.', 2),
    IN_EVENTS,
  ),
  updated_at: level.brief(
    'updatedAt',
    time('Cuándo cambió por última vez.', '2026-11-16T18:00:00.000Z'),
  ),
  gone_at: level.brief(
    'goneAt',
    orNull(
      time(
        'Desde cuándo el marketplace ya no lo tiene; null si lo tiene.',
        '2026-11-16T18:00:00.000Z',
      ),
    ),
    IN_EVENTS,
  ),
};

export const writeLevel = writerOf(LEVEL);

/** Unknown, not 0, for levels whose marketplace does not report it. */
function reservedOf({ marketplace, warehouse, unavailable }: StockLevel): number | null {
  return findConnector(marketplace)?.facts.reservedIn === warehouse ? unavailable : null;
}

function totalOf(of: StockLevel): number | null {
  const reserved = reservedOf(of);
  return of.available === null || reserved === null ? null : of.available + reserved;
}
