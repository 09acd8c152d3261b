import { type Members, membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull } from '../../platform/fields.ts';
import type { Decimal } from '../../platform/money.ts';
import { SETTLEMENT, type Settlement } from '../balances/index.ts';

/** A payout, and how far its movements explain it; null = the ledger does not have them. */
export interface ExplainedPayout extends Settlement {
  readonly carried: Decimal | null;
  readonly left: Decimal | null;
  readonly difference: Decimal | null;
}

const payout = membersOf<ExplainedPayout>();
export const EXPLAINED_PAYOUT: Members<ExplainedPayout> = {
  ...SETTLEMENT,
  carried: payout.full(
    'carried',
    orNull(amount('Saldo de la cuenta antes de este pago; null si no paga de un saldo.', 0)),
  ),
  left: payout.full(
    'left',
    orNull(amount('Lo que se quedó en la cuenta; null si no paga de un saldo.', 0)),
  ),
  difference: payout.full(
    'difference',
    orNull(amount('Lo que sus movimientos no explican; null si no se conocen.', 0)),
  ),
};
export const writeExplainedPayout = writerOf(EXPLAINED_PAYOUT);
