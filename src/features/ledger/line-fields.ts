import { MARKETPLACES, MOVEMENT_KINDS } from '../../connectors/contract.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, word } from '../../platform/fields.ts';
import type { Settlement } from '../balances/index.ts';
import type * as store from './store-payouts.ts';

/** A line of a payout beside what names the payout. */
export interface LineOfPayout extends store.PayoutLine {
  readonly payout: Settlement;
}

const line = membersOf<LineOfPayout>();
export const PAYOUT_LINE = {
  marketplace: line.brief(
    ({ payout }) => payout.marketplace,
    word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0]),
  ),
  account_id: line.brief(
    ({ payout }) => payout.accountId,
    text('La cuenta del marketplace.', '468424241'),
  ),
  payout_id: line.brief(({ payout }) => payout.id, text('El pago que la incluye.', '123456789')),
  paid_at: line.brief(
    ({ payout }) => payout.paidAt,
    orNull(time('Cuándo se pagó; null si no se informa.', '2026-11-16T18:00:00.000Z')),
  ),
  currency: line.brief(({ payout }) => payout.currency, text('Moneda de los importes.', 'MXN')),
  order_id: line.brief(
    ({ order_id }) => order_id || null,
    orNull(text('La orden; null si son movimientos sin orden.', '2000009876543210')),
  ),
  kind: line.brief(
    'kind',
    orNull(word(MOVEMENT_KINDS, 'Qué movimientos son; null si son de una orden o varios.', 'sale')),
  ),
  native_type: line.brief(
    ({ order_id, native_type }) => (order_id ? null : native_type),
    orNull(text('Cómo los llama el marketplace; null si son de una orden.', 'ServiceFee')),
  ),
  sold: line.brief('sold', amount('Venta y envío que pagó el comprador.', 1000)),
  refunded: line.brief('refunded', amount('Lo devuelto al comprador, en positivo.', 0)),
  fees: line.brief('fees', amount('Lo que cobra el marketplace, en positivo.', 150)),
  withheld: line.brief('withheld', amount('Lo retenido de impuestos, en positivo.', 90)),
  other: line.brief('other', amount('Lo demás, con su signo.', 0)),
  net: line.brief(
    'net',
    amount('Lo que suma al pago: sold menos refunded, fees y withheld, más other.', 760),
  ),
};
export const writePayoutLine = writerOf(PAYOUT_LINE);
