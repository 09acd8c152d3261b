import { movementKinds, settlementStatuses } from '../../../words/codes.ts';
import { amount, coded, currency, type ReadableColumn, text, told } from './column.ts';
import { account, service } from './services.ts';

const CURRENCY = currency(
  'Moneda',
  'currency',
  'Moneda de los importes. Los de monedas distintas no se suman.',
);
const MARKETPLACE = service('Marketplace', 'marketplace', 'El que hizo el pago.');
const ACCOUNT = account('Cuenta', 'marketplace', 'account_id', 'La cuenta que lo recibió.');
const PAID_AT = told(
  'Depositado',
  'paid_at',
  'Cuándo se pagó. Vacío si no se ha pagado o si el marketplace no lo informa.',
);

/** What a seller holds beside a bank statement. */
export const PAYOUT_COLUMNS: readonly ReadableColumn[] = [
  PAID_AT,
  MARKETPLACE,
  ACCOUNT,
  text('Pago', 'id', 'El identificador del pago en el marketplace.'),
  coded(['Estado', 'status', 'En qué va el pago.'], settlementStatuses),
  amount('Importe', 'net', 'Lo que recibes con este pago.'),
  amount('Vendido', 'gross', 'Antes de lo que cobra el marketplace. Vacío si no lo informa.'),
  amount('Cargos', 'fees', 'Lo que cobra el marketplace. Vacío si no lo informa.'),
  amount(
    'Saldo anterior',
    'carried',
    'Lo que había en la cuenta antes de este pago. Vacío si no se paga de un saldo.',
  ),
  amount(
    'Se quedó en la cuenta',
    'left',
    'Lo que no se incluyó en este pago. Vacío si no se paga de un saldo.',
  ),
  amount(
    'Falta explicar',
    'difference',
    'Lo que los movimientos no explican; 0 si coinciden al centavo. Vacío si no tenemos sus movimientos.',
  ),
  CURRENCY,
  told('Desde', 'period_from', 'Desde cuándo abarca. Vacío si no se informa.'),
  told('Hasta', 'period_to', 'Hasta cuándo abarca. Vacío si no se informa.'),
  text('Referencia', 'reference', 'La referencia de la transferencia. Vacío si no la hay.'),
  text('Estado del marketplace', 'marketplace_status', 'El estado como lo llama el marketplace.'),
];

/** What each payout is made of. */
export const PAYOUT_LINE_COLUMNS: readonly ReadableColumn[] = [
  PAID_AT,
  MARKETPLACE,
  ACCOUNT,
  text('Pago', 'payout_id', 'El pago que incluye este renglón.'),
  text('Orden', 'order_id', 'Número de la orden. Vacío si los movimientos no son de una orden.'),
  coded(
    ['Movimiento', 'kind', 'Qué son los movimientos. Vacío si son de una orden o de varios tipos.'],
    movementKinds,
  ),
  amount('Venta', 'sold', 'Lo vendido y el envío que pagó el comprador.'),
  amount('Reembolso', 'refunded', 'Lo que se devolvió al comprador.'),
  amount('Cargos', 'fees', 'Lo que cobra el marketplace. Negativo si lo devolvió.'),
  amount('Impuestos', 'withheld', 'ISR e IVA que se retuvieron. Negativo si se devolvieron.'),
  amount('Otros', 'other', 'Lo demás, con su signo.'),
  amount(
    'Suma al pago',
    'net',
    'Venta menos reembolso, cargos e impuestos, más otros. Negativo si resta.',
  ),
  CURRENCY,
  text(
    'Nombre en el marketplace',
    'native_type',
    'Cómo llama el marketplace a los movimientos sin orden.',
  ),
];
