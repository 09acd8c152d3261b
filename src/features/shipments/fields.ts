import {
  CARRIERS,
  type Carrier,
  SHIPMENT_CATEGORIES,
  type ShipmentCategory,
  type ShipmentLocation,
  type ShipmentPackage,
} from '../../carriers/contract.ts';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { document, IN_EVENTS, membersOf, writerOf } from '../../platform/documents.ts';
import { amount, flag, list, orNull, text, time, word } from '../../platform/fields.ts';
import { add, type Decimal, multiply, ZERO } from '../../platform/money.ts';
import type { Shipment, ShipmentEvent } from './shipment.ts';

/** A shipment with its history, as shown. */
export interface ShownShipment extends Shipment {
  /** The oldest first. */
  readonly events: readonly ShipmentEvent[];
  /** Its category before the change, where it is reported. */
  readonly formerCategory?: ShipmentCategory;
}

const NOT_REPORTED = 'null si la paquetería no lo informa.';

const location = membersOf<ShipmentLocation>();
/**
 * By city: streets, names and telephones of buyers are never shown, and the postal code only to
 * customers' own systems.
 */
const PLACE = {
  city: location.brief('city', orNull(text(`Ciudad; ${NOT_REPORTED}`, 'Zapopan'))),
  state: location.brief('state', orNull(text(`Estado; ${NOT_REPORTED}`, 'Jalisco'))),
  zipcode: location.brief(
    'zipcode',
    orNull(text(`Código postal; ${NOT_REPORTED}`, '45100')),
    IN_EVENTS,
  ),
};

const parcel = membersOf<ShipmentPackage>();
const DIMENSIONS = {
  length: parcel.brief('lengthCm', orNull(amount(`Largo; ${NOT_REPORTED}`, 30))),
  width: parcel.brief('widthCm', orNull(amount(`Ancho; ${NOT_REPORTED}`, 20))),
  height: parcel.brief('heightCm', orNull(amount(`Alto; ${NOT_REPORTED}`, 10))),
};

const step = membersOf<ShipmentEvent>();
const STEP = {
  code: step.brief('code', text('El código de la paquetería.', 'ENT')),
  status: step.brief(
    'category',
    orNull(
      word(
        SHIPMENT_CATEGORIES,
        'La categoría; null si el código no se conoce todavía.',
        'ENTREGADO',
      ),
    ),
  ),
  description: step.brief('description', orNull(text(`Qué pasó; ${NOT_REPORTED}`, 'Entregada'))),
  location: step.brief('location', orNull(text(`Dónde; ${NOT_REPORTED}`, 'Zapopan, Jalisco'))),
  occurred_at: step.brief('occurredAt', time('Cuándo pasó.', '2026-11-18T17:05:00.000Z')),
  source: step.brief(
    'source',
    word(['webhook', 'tracking_history'], 'Por dónde se supo.', 'tracking_history'),
  ),
};

const order = membersOf<ShownShipment>();
const ORDER_REF = {
  reference: order.brief(
    'orderReference',
    orNull(text(`Cómo nombra la paquetería a la orden; ${NOT_REPORTED}`, 'ML-2000009876543210')),
  ),
  marketplace: order.brief(
    (shipment) => shipment.order?.marketplace ?? null,
    orNull(word(MARKETPLACES, 'Su marketplace; null si no se encontró la orden.', MARKETPLACES[0])),
  ),
  account_id: order.brief(
    (shipment) => shipment.order?.accountId ?? null,
    orNull(text('Su cuenta del marketplace; null si no se encontró la orden.', '468424241')),
  ),
  order_id: order.brief(
    (shipment) => shipment.order?.id ?? null,
    orNull(text('Su identificador; null si no se encontró la orden.', '2000009876543210')),
  ),
};

const shipment = membersOf<ShownShipment>();

/** Every field of the public shipment. */
export const SHIPMENT = {
  id: shipment.brief('id', text('El envío en la paquetería.', '41234567')),
  carrier: shipment.brief('carrier', word<Carrier>(CARRIERS, 'La paquetería.', CARRIERS[0])),
  account_id: shipment.brief('accountId', text('La cuenta de la paquetería.', '77')),
  tracking_number: shipment.brief(
    'trackingNumber',
    orNull(text('Número de rastreo; null si todavía no tiene.', '6055900600123456789012')),
  ),
  guide_number: shipment.brief(
    'guideNumber',
    orNull(text('Número de guía; null si todavía no tiene.', '231456789012')),
  ),
  status: shipment.brief(
    'category',
    word(
      SHIPMENT_CATEGORIES,
      'Categoría del envío, igual para todas las paqueterías.',
      'EN_TRANSITO',
    ),
  ),
  carrier_status: shipment.brief(
    'carrierStatus',
    text('El estado con las palabras de la paquetería.', 'in_transit'),
  ),
  is_damaged: shipment.full('isDamaged', flag('Si llegó dañado o se dañó en el camino.', false)),
  is_return: shipment.brief(
    'isReturn',
    flag(
      'true: regresa mercancía al vendedor. No es la entrega de la orden; ENTREGADO es de vuelta contigo.',
      false,
    ),
  ),
  parent_id: shipment.full(
    'parentId',
    orNull(
      text(
        'El envío de la misma cuenta al que sigue: el que regresa o el que reemplaza; null si no sigue a otro.',
        '41230000',
      ),
    ),
  ),
  final_carrier: shipment.full(
    'finalCarrier',
    orNull(text(`Quién entrega; ${NOT_REPORTED}`, 'Estafeta')),
  ),
  service_type: shipment.full(
    'serviceType',
    orNull(text(`El servicio contratado; ${NOT_REPORTED}`, 'standard_delivery')),
  ),
  cost: shipment.brief('cost', orNull(amount(`Lo que costó el envío; ${NOT_REPORTED}`, 129.42)), {
    isEarnings: true,
  }),
  currency: shipment.brief('currency', text('Moneda de los importes.', 'MXN')),
  declared_value: shipment.full(
    'declaredValue',
    orNull(amount(`Valor declarado; ${NOT_REPORTED}`, 279.9)),
  ),
  created_at: shipment.brief(
    'createdAt',
    time('Cuándo se creó el envío.', '2026-11-16T09:30:00.000Z'),
  ),
  picked_up_at: shipment.full(
    'pickedUpAt',
    orNull(time('Cuándo se recolectó; null si no se ha recolectado.', '2026-11-16T15:00:00.000Z')),
  ),
  delivered_at: shipment.brief(
    'deliveredAt',
    orNull(time('Cuándo se entregó; null si no se ha entregado.', '2026-11-18T17:05:00.000Z')),
  ),
  estimated_delivery: shipment.brief(
    'estimatedDelivery',
    orNull(time(`Cuándo se espera la entrega; ${NOT_REPORTED}`, '2026-11-19T00:00:00.000Z')),
  ),
  origin: shipment.full('origin', orNull(document(`De dónde sale; ${NOT_REPORTED}`, PLACE))),
  destination: shipment.brief(
    'destination',
    orNull(document(`A dónde va; ${NOT_REPORTED}`, PLACE)),
  ),
  contents: shipment.full(contentsOf, orNull(text(`Qué lleva; ${NOT_REPORTED}`, 'Tazas'))),
  weight_kg: shipment.full(
    weightOf,
    orNull(amount('Peso en kilogramos; null si no se conoce el de todos los paquetes.', 1.5)),
  ),
  dimensions_cm: shipment.full(
    'packages',
    list('Medidas de cada paquete, en centímetros.', document('Un paquete.', DIMENSIONS)),
  ),
  order_ref: shipment.brief((of) => of, document('La orden que lleva.', ORDER_REF)),
  events: shipment.full(
    'events',
    list('Lo que le pasó, del primero al último.', document('Un paso.', STEP)),
  ),
  previous_status: shipment.brief(
    ({ formerCategory }) => formerCategory ?? null,
    orNull(word(SHIPMENT_CATEGORIES, 'La categoría que tenía antes.', 'PREPARACION')),
    { ...IN_EVENTS, inEventsIf: ({ formerCategory }) => formerCategory !== undefined },
  ),
};

export const writeShipment = writerOf(SHIPMENT);

function contentsOf({ packages }: ShownShipment): string | null {
  const contents = new Set(packages.flatMap(({ content }) => content ?? []));
  return contents.size > 0 ? [...contents].join(', ') : null;
}

/** Null where one of the packages was not weighed: a part of the weight is not the weight. */
function weightOf({ packages }: ShownShipment): Decimal | null {
  let sum = ZERO;
  for (const { weightKg, quantity } of packages) {
    if (weightKg === null) return null;
    sum = add(sum, multiply(weightKg, quantity));
  }
  return packages.length > 0 ? sum : null;
}
