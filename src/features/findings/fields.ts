import { MARKETPLACES } from '../../connectors/contract.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, word } from '../../platform/fields.ts';
import { FINDING_KINDS, FINDING_STATES } from './kinds.ts';
import type { Finding } from './list-findings.ts';

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
