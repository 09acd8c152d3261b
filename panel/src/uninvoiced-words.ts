/** Sentences about orders without a CFDI. */
import { counted, moneyText } from './format.ts';

interface Total {
  readonly orders: number;
  readonly total: number;
  readonly currency: string;
}

export const uninvoicedWords = {
  views: 'Vista de facturas',
  view: {
    cfdi: 'CFDI',
    pendientes: 'Facturas pendientes',
    global: 'Factura global',
  },
  pending: (count: string) => `Facturas pendientes (${count} en total)`,
  intro: {
    pendientes:
      'Órdenes vendidas que no tienen un CFDI de ingreso. Las canceladas, devueltas y reembolsadas no se cuentan. Si no eliges fechas son las de los últimos 400 días, como el total de la pestaña.',
    global:
      'Órdenes de público en general para la factura global de un periodo: las que no tienen un CFDI a nombre de su comprador. Si no eliges fechas son las de los últimos 400 días.',
  },
  sum: (totals: readonly Total[], isFiltered: boolean) => {
    const each = totals.map(
      ({ orders, total, currency }) =>
        `${counted(orders, 'orden', 'órdenes')} por ${moneyText(total, currency)}`,
    );
    return `${isFiltered ? 'Con estos filtros' : 'En total'}: ${each.join(' y ')}`;
  },
  byMonth: 'Por mes y marketplace',
  orders: 'Órdenes',
  month: 'Mes y marketplace',
  total: 'Total',
  order: 'Orden',
  date: 'Fecha de venta',
  tax: 'Impuestos',
  noTax: 'No informados',
  inGlobal: 'Factura global',
  notInGlobal: 'Sin incluir',
  listed: (count: string, more: boolean) => {
    if (more) return `Más de ${count} órdenes`;
    return `${count} ${count === '1' ? 'orden' : 'órdenes'}`;
  },
  empty: {
    pendientes: 'No hay órdenes sin CFDI en este periodo.',
    global: 'No hay órdenes de público en general en este periodo.',
  },
};
