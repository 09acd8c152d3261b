import { MARKETPLACES } from '../../connectors/contract.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, word } from '../../platform/fields.ts';
import { add, type Decimal, ZERO } from '../../platform/money.ts';
import { FINDING_KINDS, FINDING_STATES } from './kinds.ts';
import type { Finding } from './list-findings.ts';
import type { LineOfMarketplace } from './withheld-lines.ts';
import type { WithheldPeriod } from './withheld-periods.ts';

const finding = membersOf<Finding>();

/** Every public field of a finding. */
export const FINDING = {
  id: finding.brief('id', text('El hallazgo.', '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90')),
  kind: finding.brief('kind', word(FINDING_KINDS, 'La clase de hallazgo.', FINDING_KINDS[0])),
  state: finding.brief(
    'state',
    word(
      FINDING_STATES,
      'open = sin explicar; explained = con nota; resolved = ya no existe.',
      'open',
    ),
  ),
  marketplace: finding.brief(
    ({ marketplace }) => marketplace || null,
    orNull(word(MARKETPLACES, 'El marketplace; null si trata de varios.', MARKETPLACES[0])),
  ),
  account_id: finding.brief(
    ({ account_id }) => account_id || null,
    orNull(text('La cuenta del marketplace; null si trata de varias.', '468424241')),
  ),
  subject: finding.brief(
    'subject',
    text(
      'La orden, el pago, el movimiento o el mes de que trata; `2026-09 USD` si no es en pesos.',
      '2000000000000001',
    ),
  ),
  amount: finding.brief('amount', amount('El importe por aclarar.', 30)),
  expected: finding.brief(
    'expected',
    orNull(amount('Con qué se compara; null si no se compara con nada.', 30)),
  ),
  currency: finding.brief('currency', text('Moneda de los importes.', 'MXN')),
  since: finding.brief('since', time('Desde cuándo.', '2026-11-16T18:00:00.000Z')),
  note: finding.brief('note', orNull(text('Por qué es así, según tu equipo.', 'Ajuste'))),
};

export const writeFinding = writerOf(FINDING);

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
