import { MARKETPLACES } from '../../connectors/contract.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, word } from '../../platform/fields.ts';
import type { LineOfMarketplace } from './every-withheld-line.ts';

const line = membersOf<LineOfMarketplace>();

/** The taxes withheld of an order, or of movements without one, in pesos. */
export const WITHHELD_LINE = {
  marketplace: line.brief('marketplace', word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0])),
  account_id: line.brief('account_id', text('La cuenta del marketplace.', '468424241')),
  order_id: line.brief(
    ({ order_id }) => order_id || null,
    orNull(text('La orden; null si son movimientos sin orden.', '2000009876543210')),
  ),
  native_type: line.brief(
    ({ order_id, native_type }) => (order_id ? null : native_type),
    orNull(text('Cómo los llama el marketplace; null si son de una orden.', 'TaxWithheld')),
  ),
  last_at: line.brief(
    'last_at',
    time('De cuándo es el último movimiento.', '2026-10-16T18:00:00.000Z'),
  ),
  isr: line.brief('isr', amount('ISR retenido; negativo si se devolvió.', 5.03)),
  iva: line.brief('iva', amount('IVA retenido; negativo si se devolvió.', 16.08)),
  unnamed: line.brief('unnamed', amount('Impuestos que el marketplace no desglosa.', 0)),
  total: line.brief('total', amount('Todo lo retenido.', 21.11)),
};

export const writeWithheldLine = writerOf(WITHHELD_LINE);
