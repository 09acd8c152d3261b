/** Sentences about orders without a CFDI. */

export const uninvoicedWords = {
  views: 'Vista de facturas',
  view: {
    cfdi: 'CFDI',
    pendientes: 'Facturas pendientes',
    global: 'Factura global',
  },
  pending: (count: string) => `Facturas pendientes (${count})`,
  intro: {
    pendientes:
      'Órdenes vendidas que no tienen un CFDI de ingreso. Las canceladas, devueltas y reembolsadas no se cuentan.',
    global:
      'Órdenes de público en general para la factura global de un periodo: las que no tienen un CFDI a nombre de su comprador.',
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
