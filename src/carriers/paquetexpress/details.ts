import { add } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { DetailsTable, SourceShipment } from '../contract.ts';
import { CODES } from './codes.ts';
import { type Client, type Document, type HistoryRow, NO_CLIENT, NO_PARCEL } from './documents.ts';

/** Paquetexpress's own data model; `tracking_number` is the table's key. */
const DETAIL_COLUMNS = [
  'guide_number',
  'guide_number_formatted',
  'guide_type',
  'document_type',
  'status_code',
  'status_text',
  'status_category',
  'status_at',
  'service_type',
  'service_id',
  'payment_mode',
  'payment_type',
  'payment_type_text',
  'delivery_type',
  'ack_type',
  'ack_type_name',
  'insurance_type',
  'declared_value',
  'package_count',
  'package_code',
  'content',
  'sat_product_id',
  'weight_kg',
  'length_cm',
  'width_cm',
  'height_cm',
  'volume_m3',
  'rate_slab',
  'origin_client_id',
  'origin_name',
  'origin_branch',
  'origin_city',
  'origin_state',
  'origin_zip',
  'destination_client_id',
  'destination_name',
  'destination_tax_id',
  'destination_phone',
  'destination_branch',
  'destination_street',
  'destination_number',
  'destination_colony',
  'destination_city',
  'destination_state',
  'destination_zip',
  'delivery_route',
  'reference',
  'comments',
  'subtotal_amount',
  'tax_amount',
  'total_amount',
  'documented_at',
  'promised_at',
  'delivered_at',
] as const;

export const DETAILS: DetailsTable = {
  name: 'paquetexpress_shipments',
  columns: DETAIL_COLUMNS,
  // A parcel that comes back has the buyer at its origin, and comments are free text.
  personal: [
    'origin_name',
    'destination_name',
    'destination_tax_id',
    'destination_phone',
    'destination_street',
    'destination_number',
    'destination_colony',
    'comments',
  ] satisfies (typeof DETAIL_COLUMNS)[number][],
};

type Details = Record<'tracking_number' | (typeof DETAIL_COLUMNS)[number], string | number | null>;

interface Dates {
  readonly documentedAt: Instant | null;
  readonly promisedAt: Instant | null;
}

/** @param last the event that gives the shipment's state; null = it has none */
export function detailsOf(
  row: Document,
  shipment: Omit<SourceShipment, 'details'>,
  last: HistoryRow | null,
  { documentedAt, promisedAt }: Dates,
): Details {
  const { servicios: services } = row;
  const { importe: amounts } = services;
  const destination = row.destinationClient ?? NO_CLIENT;
  return {
    tracking_number: row.rastreo,
    guide_number: row.guiaNo,
    guide_number_formatted: row.guiaNoFormat ?? last?.guia ?? null,
    guide_type: row.guiaType,
    document_type: row.docuType,
    status_code: shipment.carrierStatus,
    status_text: last?.status ?? inTable(CODES, shipment.carrierStatus)?.title ?? null,
    status_category: shipment.category,
    status_at: textOf(shipment.changedAt),
    service_type: row.shipType,
    service_id: services.shpTypeName,
    payment_mode: row.pymtMode,
    payment_type: row.pymtType,
    payment_type_text: row.pymtTypeTxt,
    delivery_type: last?.tipoEntrega ?? services.dlvyType ?? destination.dlvyTxt,
    ack_type: services.ackType,
    ack_type_name: services.ackTypeName,
    insurance_type: services.invType,
    declared_value: services.totldeclVlue,
    ...parcelDetails(row),
    ...originDetails(row.originClient ?? NO_CLIENT, last),
    ...destinationDetails(destination, last),
    reference: shipment.orderReference ?? last?.referencia ?? null,
    comments: services.comments,
    subtotal_amount: amounts.subTotlAmnt,
    tax_amount: amounts.taxAmnt,
    total_amount: amounts.totalAmnt,
    documented_at: textOf(documentedAt),
    promised_at: textOf(promisedAt),
    delivered_at: textOf(shipment.deliveredAt),
  };
}

/** Of the first parcel, with the weight of all. */
function parcelDetails({ detalleEmbarque: parcels, numPack, weight, volume }: Document) {
  const parcel = parcels[0] ?? NO_PARCEL;
  const weights = parcels.flatMap((one) => one.weight ?? []);
  return {
    package_count: numPack === null ? null : Math.ceil(Number(numPack)),
    package_code: parcel.shpCode,
    content: parcel.cont,
    sat_product_id: parcel.productIdSAT,
    weight_kg: weight ?? (weights.length > 0 ? add(...weights) : null),
    length_cm: parcel.volL,
    width_cm: parcel.volW,
    height_cm: parcel.volH,
    volume_m3: volume ?? parcel.volume,
    rate_slab: parcel.slabNo,
  };
}

function originDetails(from: Client, last: HistoryRow | null) {
  return {
    origin_client_id: from.clntId,
    origin_name: from.clntName,
    origin_branch: from.branchId ?? last?.sucursalOrigen ?? null,
    origin_city: from.address.city,
    origin_state: from.address.state,
    origin_zip: from.address.zipCode,
  };
}

function destinationDetails(to: Client, last: HistoryRow | null) {
  return {
    destination_client_id: to.clntId,
    destination_name: to.clntName,
    destination_tax_id: to.rfc,
    destination_phone: to.address.phoneNo,
    destination_branch: to.branchId ?? last?.sucursalDestino ?? null,
    destination_street: to.address.strtName,
    destination_number: to.address.drnr,
    destination_colony: to.address.colonyName,
    destination_city: to.address.city ?? last?.ciudadDestino ?? null,
    destination_state: to.address.state,
    destination_zip: to.address.zipCode,
    delivery_route: to.rout,
  };
}

function textOf(at: Instant | null): string | null {
  return at?.toString() ?? null;
}
