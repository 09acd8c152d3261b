import { countText } from '../../format.ts';

/** The sentences of «Ventas». */
export const salesWords = {
  title: 'Ventas',
  by: 'Agrupar por',
  groups: { day: 'Día', week: 'Semana', month: 'Mes' },
  parts: { marketplace: 'Por marketplace', product: 'Por producto' },
  columns: { marketplace: 'Marketplace', product: 'Producto' },
  period: 'Periodo',
  presets: {
    today: 'Hoy',
    yesterday: 'Ayer',
    thisWeek: 'Esta semana',
    week: '7 días',
    days: '30 días',
    month: 'Este mes',
    lastMonth: 'Mes pasado',
    year: '12 meses',
  },
  show: 'Mostrar',
  chart: 'Gráfica',
  table: 'Tabla',
  in: (currency: string) => `Ventas en ${currency}`,
  course: (currency: string) => `Ventas brutas en ${currency}`,
  gross: 'Ventas',
  net: 'Ventas menos reembolsos',
  orders: 'Órdenes',
  units: 'Piezas',
  ticket: 'Ticket promedio',
  refunds: 'Reembolsos',
  compared: (from: string, to: string) =>
    from === to
      ? `Comparado con el mismo día de la semana anterior, el ${from}.`
      : `Comparado con el periodo anterior, del ${from} al ${to}.`,
  zone: (name: string) => `Los días siguen el horario ${name}.`,
  unfinished: (isDay: boolean) =>
    `El día de hoy todavía no termina: se compara con ${isDay ? 'un día completo' : 'días completos'}.`,
  former: (value: string, isDay: boolean) =>
    `${value} ${isDay ? 'una semana antes' : 'en el periodo anterior'}`,
  before: (isDay: boolean) => (isDay ? 'Una semana antes' : 'Periodo anterior'),
  change: (percent: number) => `${percent < 0 ? '▼' : '▲'} ${countText(Math.abs(percent))} %`,
  noChange: (isDay: boolean) =>
    isDay ? 'Sin ventas una semana antes' : 'Sin ventas en el periodo anterior',
  cancelled: (count: number) =>
    count === 1
      ? 'Hay 1 orden cancelada, que no cuenta.'
      : `Hay ${count} órdenes canceladas, que no cuentan.`,
  withoutTotal: (count: number) =>
    count === 1
      ? 'De 1 orden el marketplace todavía no informa el total.'
      : `De ${count} órdenes el marketplace todavía no informa el total.`,
  firstOnly: (count: number) => `Se muestran los primeros ${count}.`,
  productNote: 'Por producto se suman los precios de los renglones, sin envío ni reembolsos.',
  empty: 'No hay ventas en este periodo.',
  seeOrders: 'Ver órdenes',
} as const;
