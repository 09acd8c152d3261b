/** Zipnova's documents, as its API gives them. */
import type { Call } from '../http.ts';
import { type Moment, type Parcel, pastOf, stateOf } from './parcels.ts';

export interface Account {
  readonly id: number;
  readonly name: string;
  balance: { balance: number; available: number | null; credit_limit: number | null } | null;
}

const PER_PAGE = 20;

/** Code → the name that Zipnova shows. */
export const NAMES: Readonly<Record<string, string>> = {
  new: 'Procesando',
  documentation_ready: 'Pendiente de Preparación',
  ready_to_ship: 'Listo para Despacho',
  cancelled: 'Anulación Confirmada',
  expired: 'Expirado',
  reshipped: 'Redespachado',
  shipped: 'Despachado de Origen',
  in_transit_to_crossdock: 'En tránsito a Crossdock',
  admitted: 'Admitido en Sucursal',
  xd_pending: 'Pendiente de Admisión Crossdock',
  crossdock: 'Crossdock',
  in_transit_to_carrier: 'En Tránsito a Transporte',
  received_by_carrier: 'Recibido Transporte',
  in_transit: 'En Camino',
  out_for_delivery: 'En Reparto',
  available_for_pickup: 'Listo para Retirar',
  delivery_attempt: 'Intento de Entrega',
  not_delivered: 'No Entregado',
  delivered: 'Entregado',
  delivered_with_damage: 'Entregado Parcialmente Dañado',
  rejected: 'Rechazado',
  in_carrier_ready_to_return: 'En transporte listo para devolución',
  generated_return: 'Devolución Generada',
  return_xd_pending: 'Devolución Pendiente de Admisión en Crossdock',
  on_hold_crossdock: 'En Guarda',
  in_transit_to_seller: 'En tránsito al remitente',
  returned_to_seller: 'Devuelto a Remitente',
  lost_in_carrier: 'Siniestrado en Transporte',
  lost: 'Siniestrado',
};

export function accountDocument({ id, name }: Account) {
  return {
    id,
    name,
    logo: null,
    company_name: `${name} SA de CV`,
    national_tax_id: { number: 'XAXX010101000', type: 'RFC' },
    state_tax_id: null,
    tax_category: 'Persona moral',
    email: 'operaciones@tienda.example',
    phone: '5500000000',
  };
}

interface Goods {
  readonly title: string;
  readonly grams: number;
  readonly pesos: number;
}

/** Of a parcel that no order of the world is in. */
const MATTRESS: Goods = { title: 'Colchón individual', grams: 10_000, pesos: 1_425.5 };

/** What is in each package. */
function goodsOf({ order }: Parcel): Goods[] {
  if (!order) return [MATTRESS];
  return order.lines.flatMap(({ title, product, unitPrice, quantity }) =>
    Array<Goods>(quantity).fill({ title, grams: product.grams, pesos: Number(unitPrice) }),
  );
}

/** A row of the list: without packages. */
export function shortDocument(parcel: Parcel, now: number) {
  const state = stateOf(parcel, now);
  const goods = goodsOf(parcel);
  return {
    id: parcel.id,
    external_id: parcel.externalId,
    delivery_id: `0999-${String(parcel.id).padStart(8, '0')}`,
    carrier_tracking_id: state.code === 'new' ? null : `ZN${parcel.id}`,
    created_at: stamp(parcel.madeAt, '+0000'),
    account_id: parcel.account,
    parent_shipment_id: parcel.parent,
    service_type: parcel.isReturn ? 'return_origin' : 'standard_delivery',
    logistic_type: parcel.isOwnFleet ? 'own_fleet' : 'crossdock',
    carrier: parcel.isOwnFleet
      ? { id: 1, name: 'Flota Propia', logo: null }
      : { id: 208, name: 'Transportes del Bajío', logo: null },
    status: state.code,
    status_name: NAMES[state.code] ?? state.code,
    tracking: `https://seguimiento.zipnova.example/${parcel.id}`,
    tracking_external: `https://seguimiento.zipnova.example/externo/${parcel.externalId}`,
    destination: { name: 'María L.', city: 'Puebla', state: 'Puebla', zipcode: '72000' },
    origin: {
      id: 25,
      name: 'Almacén',
      city: 'Naucalpan',
      state: 'Estado de México',
      zipcode: '53370',
    },
    declared_value: Math.round(goods.reduce((sum, { pesos }) => sum + 100 * pesos, 0)) / 100,
    price: 111.57,
    price_incl_tax: 129.42,
    total_weight: goods.reduce((sum, { grams }) => sum + grams, 0),
    total_volume: 8_000 * goods.length,
    total_packages: goods.length,
  };
}

export function longDocument(parcel: Parcel, now: number) {
  const { total_packages: _, ...short } = shortDocument(parcel, now);
  return {
    ...short,
    packages: goodsOf(parcel).map(({ title, grams }, at) => ({
      internal_id: parcel.id * 10 + at,
      sku_id: null,
      weight: grams,
      height: 20,
      width: 20,
      length: 20.5,
      volume: 8_000,
      description_1: `COL-${parcel.id}`,
      description_2: title,
      description_3: '',
      classification: { id: 1, name: 'General' },
    })),
    tags: [],
    channel_relations: parcel.relations,
    ...parcel.fields,
  };
}

export function trackingDocument(parcel: Parcel, now: number, sort: string | null) {
  const past = pastOf(parcel.moments, now).map(momentDocument);
  return sort === 'oldest' ? past : past.reverse();
}

/** A page as Laravel makes them; 20 rows is the most, for any requested size. */
export function pageOf<Row>(call: Call, base: string, rows: readonly Row[]) {
  const wanted = Number(call.query.get('per_page') ?? PER_PAGE);
  const size = wanted >= 1 && wanted <= PER_PAGE ? wanted : PER_PAGE;
  const page = Math.max(1, Number(call.query.get('page') ?? 1));
  const last = Math.max(1, Math.ceil(rows.length / size));
  const shown = rows.slice((page - 1) * size, page * size);
  const path = `${base}${call.path}`;
  const link = (number: number) => `${path}?page=${number}`;
  return {
    data: shown,
    links: {
      first: link(1),
      last: link(last),
      prev: page > 1 ? link(page - 1) : null,
      next: page < last ? link(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: shown.length > 0 ? (page - 1) * size + 1 : null,
      last_page: last,
      path,
      per_page: size,
      to: shown.length > 0 ? (page - 1) * size + shown.length : null,
      total: rows.length,
    },
  };
}

export function stamp(at: number, zone: '+0000' | '+00:00'): string {
  return `${new Date(at).toISOString().slice(0, 19)}${zone}`;
}

/** A label for one parcel, in the printer's language. */
export function zplOf(parcel: Parcel): string {
  return `^XA^FO50,50^A0N,40,40^FDZipnova ${parcel.id}^FS^FO50,120^BCN,100,Y,N,N^FDZN${parcel.id}^FS^XZ`;
}

/** A real PDF of one page with the number on it. */
export function pdfOf(parcel: Parcel): Buffer {
  const content = `BT /F1 18 Tf 40 200 Td (Zipnova ${parcel.id}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

function momentDocument({ code, at, substatus }: Moment) {
  const name = NAMES[code] ?? code;
  return {
    created_at: stamp(at, '+00:00'),
    status: { code, name, visible_name: name, substatus: substatus ?? null },
  };
}
