import type { ReadScope } from '../../platform/db/database.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { fail } from '../../platform/failure.ts';
import { amount, orNull, text, whole } from '../../platform/fields.ts';
import type { SalesGroup } from './figures.ts';
import { salesSummary } from './sales-summary.ts';

const group = membersOf<SalesGroup>();

/** Every field of what was sold in one day, in one currency. */
export const DAY_OF_SALES = {
  day: group.brief('key', text('El día, en la zona horaria de los libros.', '2026-11-15')),
  currency: group.brief('currency', text('Moneda de los importes.', 'MXN')),
  orders: group.brief('orders', whole('Ventas con importe conocido.', 12)),
  orders_without_total: group.brief(
    'ordersWithoutTotal',
    whole('Ventas cuyo importe el marketplace aún no entrega.', 0),
  ),
  units: group.brief('units', whole('Piezas.', 15)),
  gross: group.brief('gross', amount('Ventas brutas.', 3358.8)),
  refunds: group.brief('refunds', amount('Lo devuelto de estas ventas hasta ahora.', 0)),
  net: group.brief('net', amount('Ventas brutas menos devoluciones.', 3358.8)),
  average_ticket: group.brief(
    'averageTicket',
    orNull(amount('gross entre orders; null sin ventas.', 279.9)),
  ),
  cancelled_orders: group.brief(({ cancelled }) => cancelled.orders, whole('Canceladas.', 1)),
  cancelled_gross: group.brief(
    ({ cancelled }) => cancelled.gross,
    amount('Importe de las canceladas.', 279.9),
  ),
  refunded_orders: group.brief(
    ({ refunded }) => refunded.orders,
    whole('Reembolsadas por completo.', 0),
  ),
  refunded_gross: group.brief(
    ({ refunded }) => refunded.gross,
    amount('Importe de las reembolsadas por completo.', 0),
  ),
  refunds_made: group.brief(
    ({ refundsMade }) => refundsMade?.refunds ?? null,
    orNull(whole('Reembolsos hechos ese día, de cualquier venta.', 0)),
  ),
  refunds_made_amount: group.brief(
    ({ refundsMade }) => refundsMade?.amount ?? null,
    orNull(amount('Importe de los reembolsos hechos ese día.', 0)),
  ),
};

export const writeDayOfSales = writerOf<SalesGroup>(DAY_OF_SALES);

/**
 * What was sold on each day of the books, in each currency, the oldest first.
 * @param days of the books, both included; null = without that end
 * @throws Failure service_unavailable while older orders are still being counted
 */
export async function everyDayOfSales(
  scope: ReadScope,
  days: { readonly from: string | null; readonly to: string | null },
): Promise<readonly SalesGroup[]> {
  const summary = await salesSummary(scope, {
    from: days.from ?? '0001-01-01',
    to: days.to ?? '9999-12-31',
    groupBy: 'day',
    marketplace: [],
    timezone: null,
    limit: Number.MAX_SAFE_INTEGER,
  });
  if (summary.isComplete) return summary.groups;
  throw fail('service_unavailable', {
    message: 'Las órdenes antiguas todavía se están contando. Intenta de nuevo en unos minutos.',
  });
}
