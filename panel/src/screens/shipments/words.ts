/** Every sentence of Envíos. */
import { shipmentCategories } from '../../../../src/words/codes.ts';
import type { Output } from '../../client.ts';
import type { Tone } from '../../parts/StatusBadge.tsx';

type Shipment = Output<'shipments.list'>['data'][number];
type Event = Output<'shipments.orphans'>['data'][number];

export const carriers: Readonly<Record<Shipment['carrier'], string>> = {
  zipnova: 'Zipnova',
  paquetexpress: 'Paquetexpress',
};

export const categories: Readonly<Record<Shipment['status'], string>> = shipmentCategories;

export const CATEGORY_TONES: Readonly<Record<Shipment['status'], Tone>> = {
  PREPARACION: 'idle',
  EN_TRANSITO: 'busy',
  INCIDENCIA: 'warn',
  ENTREGADO: 'good',
  DEVOLUCION: 'warn',
  SINIESTRADO: 'bad',
  CANCELADO: 'bad',
};

/** How an event arrived. */
export const sources: Readonly<Record<Event['source'], string>> = {
  webhook: 'webhook',
  tracking_history: 'historial',
};

export const shipmentWords = {
  title: 'Envíos',
  one: (number: string) => `Envío ${number}`,
  show: 'Qué se muestra',
  views: { envios: 'Envíos', 'sin-envio': 'Eventos sin envío' },
  number: 'Rastreo o guía',
  orderNumber: 'Número de orden',
  carrier: 'Paquetería',
  status: 'Estado',
  from: 'Desde',
  to: 'Hasta',
  any: 'Todas',
  anyStatus: 'Todos',
  tracking: 'Rastreo',
  guide: 'Guía',
  created: 'Creado',
  pickedUp: 'Recolectado',
  delivery: 'Entrega',
  estimated: 'Entrega estimada',
  isEstimated: 'estimada',
  delivered: 'Entregado',
  order: 'Orden',
  seeOrder: 'Ver orden',
  noOrder: 'Sin orden vinculada',
  reference: 'Referencia',
  place: 'Destino',
  origin: 'Origen',
  finalCarrier: 'Entrega',
  service: 'Servicio',
  cost: 'Costo',
  declared: 'Valor declarado',
  contents: 'Contenido',
  weight: 'Peso',
  account: 'Cuenta',
  isReturn: 'Devolución al vendedor',
  isDamaged: 'Con daño',
  yes: 'Sí',
  parent: 'Sigue al envío',
  kilograms: (weight: number) => `${weight} kg`,
  dimensions: 'Medidas',
  sides: (length: number | null, width: number | null, height: number | null) =>
    `${[length, width, height].map((side) => side ?? '?').join(' × ')} cm`,
  events: 'Historial',
  left: 'Transferido a envíos',
  isGone: 'ya salió',
  leftBy: (name: string) => `Lo registró ${name}`,
  notReported: 'La paquetería todavía no informa que lo tiene.',
  noEvents: 'La paquetería todavía no informa ningún movimiento.',
  unknownCode: 'Código que todavía no conocemos',
  details: (carrier: string) => `Datos de ${carrier}`,
  noNumber: 'Sin rastreo',
  empty: 'Aquí verás los envíos de tus paqueterías.',
  emptyConnected:
    'Tus guías nuevas aparecen aquí unos minutos después de generarlas, con su historial.',
  seeWarehouse: 'Ir a Almacén',
  emptyFiltered:
    'No hay envíos con esos filtros. Aquí están los de tus cuentas de Zipnova y Paquetexpress; el rastreo de una guía que dio el marketplace está en su orden.',
  connect: 'Conectar una paquetería',
  orphansHelp:
    'Movimientos de rastreos que todavía no están entre tus envíos. Se vinculan solos en cuanto se lee su envío; los que no aparecen se borran a los 90 días.',
  noOrphans: 'Todos los eventos recibidos tienen su envío.',
  seeShipments: 'Ver envíos',
  event: 'Evento',
  detail: 'Detalle',
  occurred: 'Ocurrió',
  received: 'Recibido',
  source: 'Fuente',
  count: (count: string, more: boolean) => {
    if (more) return `Más de ${count} envíos`;
    return count === '1' ? '1 envío' : `${count} envíos`;
  },
  orphanCount: (count: string, more: boolean) => {
    if (more) return `Más de ${count} eventos`;
    return count === '1' ? '1 evento' : `${count} eventos`;
  },
} as const;
