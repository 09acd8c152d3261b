import type { ShipmentCategory } from '../../../carriers/contract.ts';
import { shipmentCategories } from '../../../words/codes.ts';
import {
  amount,
  coded,
  currency,
  digitsIn,
  flag,
  listIn,
  longText,
  measure,
  moment,
  type ReadableColumn,
  type Row,
  shown,
  text,
} from './column.ts';
import { account, service } from './services.ts';

const CATEGORIES: Readonly<Record<ShipmentCategory, string>> = shipmentCategories;

export const SHIPMENT_COLUMNS: readonly ReadableColumn[] = [
  moment('Creado', 'created_at', 'Cuándo se creó el envío.'),
  service('Paquetería', 'carrier', 'Con quién se hizo la guía.'),
  account('Cuenta', 'carrier', 'account_id', 'La cuenta de la paquetería.'),
  text('Rastreo', 'tracking_number', 'Número de rastreo. Vacío si todavía no tiene.'),
  text('Guía', 'guide_number', 'Número de guía. Vacío si todavía no tiene.'),
  coded(['Estado', 'status', 'En qué va el envío.'], CATEGORIES),
  service('Marketplace', 'order_ref.marketplace', 'El de la orden. Vacío si no se encontró.'),
  text('Orden', 'order_ref.order_id', 'La orden que lleva. Vacío si no se encontró.'),
  text('Referencia', 'order_ref.reference', 'Cómo nombra la paquetería a la orden.'),
  amount('Costo', 'cost', 'Lo que costó el envío. Vacío si la paquetería no lo informa.'),
  amount('Valor declarado', 'declared_value', 'Vacío si la paquetería no lo informa.'),
  currency('Moneda', 'currency', 'Moneda del costo y del valor declarado.'),
  moment('Recolectado', 'picked_up_at', 'Cuándo se recolectó. Vacío si no se ha recolectado.'),
  moment('Entrega estimada', 'estimated_delivery', 'Cuándo se espera. Vacío si no se informa.'),
  moment('Entregado', 'delivered_at', 'Cuándo se entregó. Vacío si no se ha entregado.'),
  shown(['Origen', ['origin'], 'De dónde sale.'], (row) => locationIn(row.origin), 'long'),
  shown(['Destino', ['destination'], 'A dónde va.'], (row) => locationIn(row.destination), 'long'),
  text('Quién entrega', 'final_carrier', 'La empresa que entrega, si es otra.'),
  longText('Contenido', 'contents', 'Qué lleva.'),
  measure('Peso (kg)', 'weight_kg', 'De todos los paquetes. Vacío si falta el de alguno.'),
  shown(
    ['Medidas (cm)', ['dimensions_cm'], 'Largo × ancho × alto de cada paquete.'],
    sidesIn,
    'long',
  ),
  shown(
    ['Último movimiento', ['events'], 'Lo último que informó la paquetería.'],
    (row) => lastOf(row)?.description ?? null,
    'long',
  ),
  shown(
    ['Lugar del último movimiento', ['events'], 'Dónde fue.'],
    (row) => lastOf(row)?.location ?? null,
  ),
  flag([
    'Es devolución',
    'is_return',
    'Sí cuando regresa mercancía a ti; no es la entrega de la orden.',
  ]),
  flag(['Con daño', 'is_damaged', 'Si llegó dañado o se dañó en el camino.']),
  text('Envío', 'id', 'Número del envío en la paquetería.'),
  text('Sigue al envío', 'parent_id', 'El envío que regresa o que reemplaza.'),
];

/** «Zapopan, Jalisco». */
function locationIn(location: unknown): string | null {
  if (location === null) return null;
  const { city, state } = location as Readonly<Record<string, string | null>>;
  return [city, state].filter(Boolean).join(', ');
}

/** «30 × 20 × 10 · 15 × 15 × 15». */
function sidesIn(row: Row): string {
  return listIn(row, 'dimensions_cm')
    .map((sides) => [sides.length, sides.width, sides.height])
    .filter((sides) => sides.some((side) => side !== null))
    .map((sides) => sides.map((side) => digitsIn(side) ?? '?').join(' × '))
    .join(' · ');
}

interface Step {
  readonly description: string | null;
  readonly location: string | null;
}

function lastOf(row: Row): Step | undefined {
  return listIn<Step>(row, 'events').at(-1);
}
