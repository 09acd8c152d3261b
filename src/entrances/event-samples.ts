import { CARRIERS } from '../carriers/contract.ts';
import { MARKETPLACES } from '../connectors/contract.ts';
import { PURSE, SETTLEMENT } from '../features/balances/index.ts';
import { CFDI_SUMMARY } from '../features/cfdi/index.ts';
import { LEVEL } from '../features/inventory/index.ts';
import { ORDER_FIELDS, ORDER_SHAPES } from '../features/orders/index.ts';
import { SHIPMENT } from '../features/shipments/index.ts';
import { EVENT_SHAPE, type EventType, TRIES } from '../features/webhooks-out/index.ts';
import { fieldsIn } from '../platform/documents.ts';
import { shape } from '../platform/fields.ts';

/** A type of event for readers. */
interface EventSample {
  /** When it happens: a Spanish sentence. */
  readonly words: string;
  /** What the event has beside its id, type and time. */
  readonly beside?: Sample;
  readonly data: unknown;
}

type Sample = Readonly<Record<string, unknown>>;

const ENDPOINT_ID = '019a8f53-6b1e-7d40-9c25-8a3f0e7b4d19';
const SHIPPED = ORDER_SHAPES.Order.example as Sample;
const ORDER = { ...SHIPPED, status: 'paid', date_closed: null };
const LEVEL_MOVED = shape('', fieldsIn('event', LEVEL)).example;
const { previous_status: _former, ...PARCEL } = shape('', fieldsIn('event', SHIPMENT))
  .example as Sample;
const {
  carrier: _carrier,
  balance: _prepaid,
  credit_limit: _limit,
  ...MONEY
} = shape('', fieldsIn('event', PURSE)).example as Sample;
const PAYOUT = shape('', fieldsIn('event', SETTLEMENT)).example;
const CFDI = shape('', fieldsIn('event', CFDI_SUMMARY)).example as Sample;
const LINE = {
  line_id: '019a8f55-2d3e-7f64-9c75-6a1b0e4d8f39',
  attempt_id: '019a8f55-3e4f-7a75-8d86-7b2c1f5e9a40',
  marketplace: MARKETPLACES[0],
  account_id: '238746110',
  order_ids: ['2000009876543210'],
  pack_id: null,
  carrier: CARRIERS[0],
};

/** Every type of event, with a sample of its payload. */
export const EVENT_SAMPLES: Readonly<Record<EventType, EventSample>> = {
  'order.created': {
    words: 'Llegó una orden nueva.',
    beside: { changed: ORDER_FIELDS },
    data: ORDER,
  },
  'order.updated': {
    words: 'Cambió un dato de una orden, sin cambiar su estado.',
    beside: { changed: ['buyer_name'] },
    data: ORDER,
  },
  'order.status_changed': {
    words: 'Una orden pasó a otro estado; puede traer también otros cambios.',
    beside: { changed: ['status', 'marketplace_status'], previous_status: 'paid' },
    data: SHIPPED,
  },
  'shipment.created': { words: 'Apareció un envío nuevo.', data: PARCEL },
  'shipment.status_changed': {
    words: 'Un envío pasó a otro estado.',
    beside: { changed: ['status'], previous_status: 'PREPARACION' },
    data: { ...PARCEL, previous_status: 'PREPARACION' },
  },
  'inventory.updated': {
    words: 'Cambiaron las existencias de un producto, su SKU o su título.',
    beside: { changed: ['available'] },
    data: { ...(LEVEL_MOVED as Sample), gone_at: null },
  },
  'balance.updated': {
    words: 'Cambió el saldo de una cuenta.',
    beside: { changed: ['available'] },
    data: MONEY,
  },
  'payout.settled': {
    words: 'Un marketplace pagó lo que debía: quedó como pagado el depósito de una cuenta.',
    beside: { changed: ['status'], previous_status: 'pending' },
    data: PAYOUT,
  },
  'guide.generated': {
    words: 'Se generó la guía de un paquete.',
    data: {
      ...LINE,
      tracking: 'ZIP123456789',
      guide: 'https://ejemplo.mx/guias/ZIP123456789.pdf',
      amount: 118.5,
      currency: 'MXN',
      available_balance: 2_381.5,
      error: null,
    },
  },
  'guide.failed': {
    words: 'La paquetería rechazó la guía de un paquete.',
    data: {
      ...LINE,
      tracking: null,
      guide: null,
      amount: null,
      currency: null,
      available_balance: null,
      error: { code: 'invalid_address', message: 'El código postal no existe.' },
    },
  },
  'cfdi.issued': { words: 'Llegó un CFDI que emitió tu organización.', data: CFDI },
  'cfdi.cancelled': {
    words: 'El SAT informó que un CFDI está cancelado.',
    beside: { changed: ['status', 'counted_total'] },
    data: { ...CFDI, status: 'cancelado', counted_total: null },
  },
  'connection.status_changed': {
    words: 'Cambió el estado de una cuenta conectada: por ejemplo, hay que conectarla de nuevo.',
    beside: { changed: ['status'], previous_status: 'ok' },
    data: {
      id: '019a8f52-7c3e-7b91-a4d6-2e8f1c0b5a63',
      marketplace: MARKETPLACES[0],
      account_id: '238746110',
      name: 'Mi tienda',
      status: 'reauth_required',
      message: 'El permiso venció. Conecta la cuenta de nuevo.',
    },
  },
  'endpoint.disabled': {
    words: 'Otro de tus endpoints quedó desactivado: respondió 410 o falló cinco días seguidos.',
    data: { endpoint_id: ENDPOINT_ID, reason: 'failing' },
  },
  'message.exhausted': {
    words: `Otro de tus endpoints no confirmó un evento en ninguno de los ${TRIES} intentos.`,
    data: {
      endpoint_id: ENDPOINT_ID,
      event_id: 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1',
      event_type: 'order.created',
    },
  },
  'webhook.test': {
    words: 'Lo pediste para probar un endpoint. Llega solo a ese, sin importar sus filtros.',
    data: { endpoint_id: ENDPOINT_ID },
  },
};

/** What every event has. */
const HEAD = new Set(['id', 'type', 'api_version', 'organization_id', 'timestamp', 'sequence']);

/** The whole payload, as deliveries send it. */
export function samplePayload(type: EventType): object {
  const { beside, data } = EVENT_SAMPLES[type];
  const head = Object.entries(EVENT_SHAPE.example as Sample).filter(([name]) => HEAD.has(name));
  const withType = head.map(([name, value]) => [name, name === 'type' ? type : value]);
  return { ...Object.fromEntries(withType), ...beside, data };
}
