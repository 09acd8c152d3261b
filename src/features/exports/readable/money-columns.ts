import { decimal, moneyText } from '../../../platform/money.ts';
import { findingKinds, findingMeanings, purses } from '../../../words/codes.ts';
import type { FindingState } from '../../findings/index.ts';
import {
  amount,
  coded,
  count,
  currency,
  day,
  digitsIn,
  flag,
  listIn,
  longText,
  moment,
  type ReadableColumn,
  type Reader,
  type Row,
  shown,
  text,
  textIn,
} from './column.ts';
import { account, nameOf, service } from './services.ts';

const FINDING_STATES: Readonly<Record<FindingState, string>> = {
  open: 'Abierto',
  explained: 'Explicado',
  resolved: 'Resuelto',
};
const CURRENCY = currency(
  'Moneda',
  'currency',
  'Moneda de los importes. Los de monedas distintas no se suman.',
);

export const SALES_COLUMNS: readonly ReadableColumn[] = [
  day('Día', 'day', 'El día de la venta, en la Ciudad de México.'),
  count(
    'Órdenes',
    'orders',
    'Ventas con importe conocido. No cuentan las canceladas ni las reembolsadas por completo.',
  ),
  count('Piezas', 'units', 'Piezas vendidas, sin las que se cancelaron o devolvieron después.'),
  amount('Ventas brutas', 'gross', 'Suma de los totales de esas órdenes.'),
  amount('Reembolsos', 'refunds', 'Lo que se ha devuelto de esas ventas hasta ahora.'),
  amount('Ventas menos reembolsos', 'net', 'Ventas brutas menos lo devuelto de ellas.'),
  amount(
    'Ticket promedio',
    'average_ticket',
    'Ventas brutas entre órdenes. Vacío si no hubo ventas.',
  ),
  CURRENCY,
  count(
    'Órdenes sin importe',
    'orders_without_total',
    'Ventas cuyo total el marketplace todavía no informa. No están en las demás columnas.',
  ),
  count('Órdenes canceladas', 'cancelled_orders', 'No cuentan como ventas.'),
  amount('Importe cancelado', 'cancelled_gross', 'Suma de los totales de las canceladas.'),
  count('Órdenes reembolsadas', 'refunded_orders', 'Por completo. No cuentan como ventas.'),
  amount('Importe reembolsado', 'refunded_gross', 'Suma de los totales de las reembolsadas.'),
  count(
    'Reembolsos hechos ese día',
    'refunds_made',
    'Cuántos se hicieron ese día, de ventas de cualquier fecha.',
  ),
  amount(
    'Importe reembolsado ese día',
    'refunds_made_amount',
    'Lo que suman los reembolsos hechos ese día.',
  ),
];

export const BALANCE_COLUMNS: readonly ReadableColumn[] = [
  shown(['Marketplace o paquetería', ['marketplace', 'carrier'], 'Dónde está el saldo.'], (row) =>
    nameOf(textIn(row, 'marketplace') ?? textIn(row, 'carrier')),
  ),
  shown(
    ['Cuenta', ['marketplace', 'carrier', 'account_id'], 'La cuenta a la que pertenece.'],
    (row, reader) => {
      const owner = textIn(row, 'marketplace') ?? textIn(row, 'carrier') ?? '';
      return reader.accountName(owner, textIn(row, 'account_id') ?? '');
    },
  ),
  coded(['Saldo de', 'purse', 'Qué parte de la cuenta es, si tiene varios saldos.'], purses),
  amount(
    'Disponible',
    'available',
    'Lo que ya puedes retirar o gastar; en una paquetería, saldo más crédito. Vacío si no se informa.',
  ),
  amount('Por liberar', 'pending', 'Lo ganado que el marketplace todavía no libera.'),
  shown(
    [
      'Se libera',
      ['releases', 'currency'],
      'Qué día se libera cada parte. Vacío si no se informa.',
    ],
    releasesIn,
    'long',
  ),
  amount(
    'Saldo prepagado',
    'balance',
    'Lo que pagaste por adelantado a la paquetería. Negativo si le debes.',
  ),
  amount('Límite de crédito', 'credit_limit', 'El crédito que te da la paquetería.'),
  CURRENCY,
  moment('Consultado', 'taken_at', 'De cuándo es el saldo.'),
  flag([
    'Calculado',
    'is_derived',
    'Sí cuando lo calculamos con los estados de cuenta, porque el marketplace no lo informa.',
  ]),
];

export const FINDING_COLUMNS: readonly ReadableColumn[] = [
  moment('Desde', 'since', 'Desde cuándo no cuadra.'),
  coded(['Hallazgo', 'kind', 'Qué es lo que no cuadra.'], findingKinds, 'long'),
  coded(
    ['Estado', 'state', 'Abierto, explicado con una nota o resuelto porque ya cuadra.'],
    FINDING_STATES,
  ),
  shown(
    ['Marketplace', ['marketplace'], 'Dónde no cuadra; «Varios» si es en más de uno.'],
    (row) => nameOf(textIn(row, 'marketplace')) ?? 'Varios',
  ),
  account('Cuenta', 'marketplace', 'account_id', 'La cuenta del marketplace. Vacío si son varias.'),
  shown(
    ['De qué trata', ['subject'], 'La orden, el pago, el movimiento o el mes que no cuadra.'],
    subjectIn,
    'long',
  ),
  amount('Por aclarar', 'amount', 'El importe que falta explicar.'),
  amount('Se esperaba', 'expected', 'Con qué se compara. Vacío si no se compara con nada.'),
  CURRENCY,
  longText('Nota', 'note', 'La explicación que escribió tu equipo.'),
  coded(['Qué significa', 'kind', 'Qué quiere decir y qué hacer.'], findingMeanings, 'longest'),
];

const LEDGER = 'según los movimientos de tus cuentas.';
const CERTIFIED = 'según tus constancias de retenciones. Vacío sin constancia.';

export const WITHHELD_COLUMNS: readonly ReadableColumn[] = [
  shown(
    ['Periodo', ['period'], 'El mes, o los meses de una constancia, en tu zona horaria.'],
    (row) => periodInWords(textIn(row, 'period') ?? ''),
    'long',
  ),
  amount('ISR según movimientos', 'ledger_isr', `ISR que te retuvieron, ${LEDGER}`),
  amount('IVA según movimientos', 'ledger_iva', `IVA que te retuvieron, ${LEDGER}`),
  amount(
    'Sin desglosar',
    'ledger_unnamed',
    'Impuestos retenidos de los que el marketplace no dice si son ISR o IVA.',
  ),
  amount('Total según movimientos', 'ledger_total', `Todo lo que te retuvieron, ${LEDGER}`),
  amount('ISR según constancias', 'certified_isr', `ISR que te retuvieron, ${CERTIFIED}`),
  amount('IVA según constancias', 'certified_iva', `IVA que te retuvieron, ${CERTIFIED}`),
  amount('Total según constancias', 'certified_total', `Todo lo que te retuvieron, ${CERTIFIED}`),
  amount('Diferencia', 'difference', 'Constancias menos movimientos. Vacío sin constancia.'),
  shown(['Moneda', [], 'Las retenciones son siempre en pesos.'], () => 'MXN', 'brief'),
];

/** What those sums are made of. */
export const WITHHELD_LINE_COLUMNS: readonly ReadableColumn[] = [
  service('Marketplace', 'marketplace', 'El que retuvo los impuestos.'),
  account('Cuenta', 'marketplace', 'account_id', 'La cuenta a la que se los retuvo.'),
  text('Orden', 'order_id', 'Número de la orden. Vacío si los movimientos no son de una orden.'),
  amount('ISR', 'isr', 'ISR que te retuvieron. Negativo si te lo devolvieron.'),
  amount('IVA', 'iva', 'IVA que te retuvieron. Negativo si te lo devolvieron.'),
  amount(
    'Sin desglosar',
    'unnamed',
    'Impuestos retenidos de los que el marketplace no dice si son ISR o IVA.',
  ),
  amount('Total', 'total', 'Todo lo que te retuvieron.'),
  shown(['Moneda', [], 'Las retenciones son siempre en pesos.'], () => 'MXN', 'brief'),
  moment('Último movimiento', 'last_at', 'De cuándo es la última retención.'),
  text(
    'Nombre en el marketplace',
    'native_type',
    'Cómo llama el marketplace a los movimientos sin orden.',
  ),
];

interface Release {
  readonly at: string;
  readonly amount: unknown;
}

/** «20/11/2026: $80.10 MXN · 21/11/2026: $15.00 MXN». */
function releasesIn(row: Row, reader: Reader): string {
  const currency = textIn(row, 'currency') ?? '';
  return listIn<Release>(row, 'releases')
    .map(({ at, amount: released }) => {
      const money = moneyText(decimal(digitsIn(released) ?? '0'), currency);
      return `${reader.dayOf(at)}: ${money}`;
    })
    .join(' · ');
}

/** A month with its currency where that is not pesos, or the months of a certificate. */
const PERIOD = /^(\d{4}-\d{2}(?:\/\d{4}-\d{2})?)(?: [A-Z]{3})?$/;

/** A month in words, a movement by its marketplace's own number, or an order or payout. */
function subjectIn(row: Row): string {
  const subject = textIn(row, 'subject') ?? '';
  const [, period] = PERIOD.exec(subject) ?? [];
  if (period) return periodInWords(period);
  if (textIn(row, 'kind') !== 'movement_without_order') return subject;
  // The report, then the movement's key in it, which begins with the marketplace's own id.
  const [, id = subject] = subject.split(' ');
  return `Movimiento ${id}`;
}

/** «octubre de 2026», or the first and the last month. */
function periodInWords(period: string): string {
  return period
    .split('/')
    .map((month) =>
      Temporal.PlainDate.from(`${month}-01`).toLocaleString('es-MX', {
        month: 'long',
        year: 'numeric',
      }),
    )
    .join(' a ');
}
