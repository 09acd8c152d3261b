import { countText } from '../../format.ts';

/** The sentences of the metrics screen. */
export const figuresWords = {
  title: 'Métricas',
  intro:
    'El ritmo de tu operación: qué tan rápido llegan tus órdenes, cuántas llegan y cuántas guías generas.',
  period: 'Periodo',
  spans: { day: 'Últimas 24 horas', week: 'Últimos 7 días' },
  each: { day: 'por hora', week: 'cada 6 horas' },
  show: 'Mostrar',
  chart: 'Gráfica',
  table: 'Tabla',
  total: (count: number) => `${countText(count)} en total`,
  nothing: 'Nada en este periodo.',
  titles: {
    orders: 'Órdenes',
    webhooks: 'Avisos recibidos (webhooks)',
    guides: 'Guías generadas',
    guides_failed: 'Guías rechazadas',
  },
  from: 'Desde',
  count: 'Cantidad',
  delays: 'Qué tan rápido llegan tus órdenes',
  delaysNote:
    'Últimas 24 horas: lo que pasa desde que una orden cambia en el marketplace hasta que la ves aquí. De cada 100 cambios, 50 llegan en el tiempo de «Lo normal» o antes, y 95 en el de «Las más lentas» o antes.',
  noDelays: 'Sin cambios de órdenes en las últimas 24 horas, sin contar la primera sincronización.',
  marketplace: 'Marketplace',
  changes: 'Cambios',
  median: 'Lo normal',
  p95: 'Las más lentas',
  lastSync: 'Última sincronización',
  synced: 'Sincronizado',
  late: 'Cuentas con problemas ahora',
  since: 'sin sincronizar desde el',
  neverRead: 'todavía no se sincroniza',
  usual: (delay: string) => `Lo normal es ${delay}.`,
  seeConnections: 'Ver en Conexiones',
  hoursOf: (name: string) => `${name}: lo que tardaron las más lentas, por hora`,
  slowestHour: (at: string, delay: string) => `La hora más lenta: ${at} (${delay}).`,
  technical: 'Datos técnicos',
  technicalNote:
    'Los marketplaces y las paqueterías nos mandan un aviso (webhook) cuando algo cambia. Sirven para revisar si una conexión está viva.',
  noChanges: 'Sin cambios',
  silent: (names: string) =>
    `Sin cambios de órdenes en las últimas 24 horas, sin contar la primera sincronización: ${names}.`,
  balances: (name: string, account: string) => `Saldo de ${name}, ${account}`,
  balancesNote: 'Últimos 30 días. Cada barra es un cambio.',
  amounts: {
    balance: 'Saldo',
    available: 'Disponible (saldo + crédito)',
    credit_limit: 'Límite de crédito',
  },
  at: 'Fecha',
} as const;

const MINUTE = 60;
const HOUR = 3_600;

/** «45 s», «12 min», «3 h»; what takes less than a second is said as one. */
export function durationText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(1, seconds)} s`;
  if (seconds < HOUR) return `${Math.ceil(seconds / MINUTE)} min`;
  return `${countText(Math.ceil(seconds / HOUR))} h`;
}

const IN_UNIT = [1, 2, 5, 10, 15, 30];
const DAY_STEPS = [1, 2, 6, 12, 24, 48, 120, 240].map((hours) => hours * HOUR);

/** The steps of an axis of seconds, so that its ticks are whole seconds, minutes and hours. */
export const DURATION_STEPS = [...IN_UNIT, ...IN_UNIT.map((step) => step * MINUTE), ...DAY_STEPS];

export function durationAxisText(seconds: number): string {
  return seconds === 0 ? '0' : durationText(seconds);
}
