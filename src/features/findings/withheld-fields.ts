import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text } from '../../platform/fields.ts';
import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { WithheldPeriod } from './withheld-period.ts';

const period = membersOf<WithheldPeriod>();
const ofLedger = (tax: 'isr' | 'iva' | 'unnamed') => (of: WithheldPeriod) =>
  add(ZERO, ...of.ledger.map((sum) => sum[tax]));
const certified =
  (tax: 'isr' | 'iva') =>
  ({ certificates }: WithheldPeriod): Decimal | null =>
    certificates.length > 0 ? add(ZERO, ...certificates.map((one) => one[tax])) : null;

/** The taxes withheld in a period, in pesos. */
export const WITHHELD = {
  period: period.brief('period', text('El mes, o los meses de una constancia.', '2026-10')),
  ledger_isr: period.brief(ofLedger('isr'), amount('ISR según los movimientos.', 5.03)),
  ledger_iva: period.brief(ofLedger('iva'), amount('IVA según los movimientos.', 16.08)),
  ledger_unnamed: period.brief(
    ofLedger('unnamed'),
    amount('Impuestos que el marketplace no desglosa.', 0),
  ),
  ledger_total: period.brief('ledgerTotal', amount('Todo según los movimientos.', 21.11)),
  certified_isr: period.brief(
    certified('isr'),
    orNull(amount('ISR según las constancias; null sin constancia.', 5.03)),
  ),
  certified_iva: period.brief(
    certified('iva'),
    orNull(amount('IVA según las constancias; null sin constancia.', 16.08)),
  ),
  certified_total: period.brief(
    'certifiedTotal',
    orNull(amount('Todo según las constancias; null sin constancia.', 21.11)),
  ),
  difference: period.brief(
    'difference',
    orNull(amount('Constancias menos movimientos; null sin constancia.', 0)),
  ),
};

export const writeWithheld = writerOf(WITHHELD);
