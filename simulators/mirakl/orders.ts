/** Orders and the documents that sellers upload for them. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt, reachedAt } from '../order.ts';
import { hasInvoice, orderDocument } from './documents.ts';
import { changedAt, findOrder, orderIdOf, orderState } from './facts.ts';
import { offsetPage, type Room, refuse, refuseUnknown, type Shop } from './shop.ts';

/** Taken off the start of an update window, «to ensure no orders are missed»: rows repeat. */
const START_DELTA = 60_000;
const MOST_IDS = 100;

const PARAMETERS = [
  'start_update_date',
  'end_update_date',
  'start_date',
  'end_date',
  'order_ids',
  'order_state_codes',
  'max',
  'offset',
  'sort',
  'order',
];

type Filter = (order: Order) => boolean;

export function orderRoutes(room: Room): Routes {
  function list(call: Call): Reply {
    const shop = room.caller(call);
    refuseUnknown(call, PARAMETERS);
    const filters = filtersOf(call, room);
    const found = shop.world
      .orders()
      .filter((order) => filters.every((fits) => fits(order)))
      .sort((a, b) => placedAt(a) - placedAt(b) || orderIdOf(a).localeCompare(orderIdOf(b)));
    if (call.query.get('order') === 'desc') found.reverse();
    const { page, total_count } = offsetPage(call, found);
    return { body: { orders: page.map((order) => orderDocument(order, room)), total_count } };
  }

  /** Deprecated, to be removed. */
  function detail(call: Call): Reply {
    const order = findOrder(room.caller(call).world, call.params.id ?? '');
    if (!order) throw refuse(404, `Order with id '${call.params.id}' not found`);
    return { body: orderDocument(order, room) };
  }

  function listDocuments(call: Call): Reply {
    const shop = room.caller(call);
    refuseUnknown(call, ['order_ids']);
    const order_documents = idsOf(call, 'order_ids').flatMap((id) => documentsOf(shop, room, id));
    return { body: { order_documents, total_count: order_documents.length } };
  }

  function download(call: Call): Reply {
    const { world } = room.caller(call);
    const ids = idsOf(call, 'document_ids');
    if (ids.length > 1)
      return { headers: { 'content-type': 'application/zip' }, body: 'PK\u0003\u0004' };
    const [, number, kind] = /^(\d+)([12])$/.exec(ids[0] ?? '') ?? [];
    const order = world.order(String(world.idBase + Number(number)));
    if (!order || !hasInvoice(order, room.now())) throw refuse(404, 'Document not found');
    const headers = { 'content-type': 'application/octet-stream' };
    return { headers, body: kind === '2' ? `\ufeff${cfdiOf(order)}` : '%PDF-1.7' };
  }

  return {
    'GET /api/orders': list,
    'GET /api/orders/documents': listDocuments,
    'GET /api/orders/documents/download': download,
    'GET /api/orders/:id': detail,
  };
}

function filtersOf(call: Call, room: Room): Filter[] {
  const now = room.now();
  const given: Record<string, (wanted: string) => Filter> = {
    start_update_date: since((order) => changedAt(order, now), START_DELTA),
    end_update_date: until((order) => changedAt(order, now)),
    start_date: since(placedAt),
    end_date: until(placedAt),
    order_ids: () => {
      const ids = idsOf(call, 'order_ids');
      return (order) => ids.includes(orderIdOf(order));
    },
    order_state_codes: (wanted) => (order) => wanted.split(',').includes(orderState(order, room)),
  };
  return Object.entries(given).flatMap(([name, make]) => {
    const wanted = call.query.get(name);
    return wanted === null ? [] : [make(wanted)];
  });
}

function since(field: (order: Order) => number, delta = 0): (wanted: string) => Filter {
  return (wanted) => {
    const from = timeOf(wanted) - delta;
    return (order) => field(order) >= from;
  };
}

function until(field: (order: Order) => number): (wanted: string) => Filter {
  return (wanted) => {
    const to = timeOf(wanted);
    return (order) => field(order) <= to;
  };
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw refuse(400, `Invalid date: ${text}`);
  return at;
}

function idsOf(call: Call, name: string): string[] {
  const ids = (call.query.get(name) ?? '').split(',').filter(Boolean);
  if (ids.length === 0 || ids.length > MOST_IDS) throw refuse(400, `${name}: 1 to ${MOST_IDS} ids`);
  return ids;
}

function documentsOf({ world }: Shop, { now }: Room, id: string) {
  const order = findOrder(world, id);
  const sent = order ? reachedAt(order, 'shipped', now()) : null;
  if (!order || sent === null) return [];
  const document = (kind: number, type: string, file_name: string) => ({
    date_uploaded: new Date(sent).toISOString(),
    file_name,
    file_size: 4_096,
    id: Number(`${order.number}${kind}`),
    order_id: id,
    type,
  });
  const bill = document(1, 'SYSTEM_DELIVERY_BILL', `delivery-${id}.pdf`);
  return hasInvoice(order, now()) ? [bill, document(2, 'CUSTOMER_INVOICE', `${id}.xml`)] : [bill];
}

/** As far as a reader of invoices looks at first. */
function cfdiOf(order: Order): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Folio="${orderIdOf(order)}" Moneda="MXN" Total="${order.total}"/>
`;
}
