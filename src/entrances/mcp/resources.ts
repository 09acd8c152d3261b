import { SHIPMENT_CATEGORIES, type ShipmentCategory } from '../../carriers/contract.ts';
import { findService, SERVICES, streamsOfKind } from '../../carriers/registry.ts';
import { ORDER_STATUSES, type OrderStatus, type StreamName } from '../../connectors/contract.ts';
import { orderStatuses } from '../../words/codes.ts';

/** What agents can read once and keep: no organisation's data is in it. */
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'text/markdown';
  readonly text: string;
}

const STATUSES: Readonly<Record<OrderStatus, string>> = {
  pending: 'la orden existe y el pago no está confirmado.',
  paid: 'el pago está confirmado y todavía no se empaca nada.',
  ready_to_ship: 'empacada o con guía, espera a la paquetería.',
  partially_shipped: 'salió una parte.',
  shipped: 'la tiene la paquetería o el punto de recolección.',
  delivered: 'la recibió el comprador.',
  cancelled: 'se canceló antes de salir, se rechazó o no era válida. No es una venta.',
  returned: 'la mercancía regresó o no se pudo entregar. Es una venta; su reembolso baja el neto.',
  refunded: 'se reembolsó por completo sin que regrese la mercancía. No es una venta.',
  unknown: 'el marketplace usó un estado nuevo; marketplace_status lo trae tal cual.',
};

const CATEGORIES: Readonly<Record<ShipmentCategory, string>> = {
  PREPARACION: 'En preparación: la guía existe y el paquete no ha salido.',
  EN_TRANSITO: 'En tránsito.',
  INCIDENCIA: 'Con incidencia: alguien tiene que hacer algo.',
  ENTREGADO: 'Entregado.',
  DEVOLUCION: 'De regreso a quien lo envió, o ya devuelto.',
  SINIESTRADO: 'Perdido o dañado.',
  CANCELADO: 'Cancelado.',
};

const STREAM_NAMES: Readonly<Record<StreamName, string>> = {
  orders: 'Órdenes',
  inventory: 'Inventario',
  balances: 'Saldos',
  settlements: 'Liquidaciones',
  invoices: 'Facturas (CFDI)',
  shipments: 'Envíos',
};

export const RESOURCES: readonly Resource[] = Object.freeze([
  {
    uri: 'tianguis://glosario',
    name: 'glosario',
    title: 'Glosario de estados',
    description: 'Qué significa cada estado de una orden y cada categoría de un envío.',
    mimeType: 'text/markdown',
    text: glossary(),
  },
  {
    uri: 'tianguis://marketplaces',
    name: 'marketplaces',
    title: 'Marketplaces y paqueterías',
    description: 'Qué entrega cada marketplace y cada paquetería, y qué no está disponible.',
    mimeType: 'text/markdown',
    text: services(),
  },
]);

function glossary(): string {
  return [
    '# Estados de las órdenes',
    '',
    'Son los mismos para todos los marketplaces; `marketplace_status` trae el original. Una orden puede regresar a un estado anterior.',
    '',
    ...ORDER_STATUSES.map(
      (status) => `- \`${status}\` (${orderStatuses[status]}): ${STATUSES[status]}`,
    ),
    '',
    '# Categorías de los envíos',
    '',
    ...SHIPMENT_CATEGORIES.map((category) => `- \`${category}\`: ${CATEGORIES[category]}`),
    '',
    '# Importes y fechas',
    '',
    '- Un importe `null` es un dato que el marketplace no entrega; no es 0.',
    '- Importes de monedas distintas nunca se suman.',
    '- Todas las fechas están en UTC. Los días de los resúmenes son los de America/Mexico_City, salvo que se pida otra zona.',
    '',
  ].join('\n');
}

/** What a service does not give is named: an agent must not take «no data» for 0. */
function services(): string {
  const streams = Object.keys(STREAM_NAMES) as StreamName[];
  const rows = SERVICES.map((slug) => {
    const service = findService(slug);
    const cells = streams.map((stream) => {
      if (!streamsOfKind(slug).includes(stream)) return '–';
      return service?.[stream] === undefined ? 'no disponible' : 'sí';
    });
    return `| ${service?.name ?? slug} | \`${slug}\` | ${cells.join(' | ')} |`;
  });
  return [
    '# Marketplaces y paqueterías',
    '',
    '«no disponible»: ese servicio no lo entrega, así que la falta del dato no es un 0. «–»: no aplica.',
    '',
    `| Servicio | Identificador | ${streams.map((stream) => STREAM_NAMES[stream]).join(' | ')} |`,
    `|---|---|${streams.map(() => '---|').join('')}`,
    ...rows,
    '',
  ].join('\n');
}
