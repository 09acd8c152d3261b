/** Orders: one list, newest first, and one at a time. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt } from '../order.ts';
import { orderDocument } from './documents.ts';
import { changedAt, statusesOf } from './facts.ts';
import { described, pageOf, type Room, refuse, withFields } from './shop.ts';

/** What «any» payment means. */
const SHOWN = ['authorized', 'pending', 'paid'];
const PAYMENTS = [...SHOWN, 'refunded', 'voided', 'abandoned'];

type Filter = (order: Order) => boolean;

export function orderRoutes(room: Room, base: string): Routes {
  const { store, now, switches, isDated } = room;
  const viewOf = ({ query }: Call) => ({
    now,
    switches,
    isDated,
    storeId: store.id,
    hasParcels: query.get('aggregates')?.split(',').includes('fulfillment_orders') ?? false,
  });

  function list(call: Call): Reply {
    room.admit(call);
    const filters = filtersOf(call, room);
    const found = store.world
      .orders()
      .filter((order) => filters.every((fits) => fits(order)))
      .sort((a, b) => placedAt(b) - placedAt(a) || b.number - a.number);
    const reply = pageOf(call, found, switches.deepest);
    const view = viewOf(call);
    const documents = (reply.body as Order[]).map((order) => orderDocument(order, view, 'list'));
    return { ...reply, body: withFields(call, documents) };
  }

  function detail(call: Call): Reply {
    room.admit(call);
    const order = store.world.order(call.params.id ?? '');
    return order
      ? { body: orderDocument(order, viewOf(call), 'detail') }
      : described(404, 'Not Found', 'Order with such id does not exist');
  }

  return { [`GET ${base}/orders`]: list, [`GET ${base}/orders/:id`]: detail };
}

function filtersOf(call: Call, { now, switches, isDated }: Room): Filter[] {
  const at = now();
  const view = { now, switches, isDated };
  const given: Record<string, (wanted: string) => Filter> = {
    since_id: (wanted) => (order) => Number(order.id) > Number(wanted),
    created_at_min: since(placedAt),
    created_at_max: until(placedAt),
    updated_at_min: since((order) => changedAt(order, at)),
    updated_at_max: until((order) => changedAt(order, at)),
    status: (wanted) => (order) => wanted === 'any' || statusesOf(order, view).status === wanted,
    shipping_status: (wanted) => (order) =>
      wanted === 'any' || statusesOf(order, view).shipping_status === wanted,
  };
  const payment = call.query.get('payment_status') ?? 'any';
  if (payment !== 'any' && !PAYMENTS.includes(payment))
    throw refuse(422, { payment_status: ['is not included in the list'] });
  const payments = payment === 'any' ? SHOWN : [payment];
  const paid: Filter = (order) =>
    payments.includes(statusesOf(order, view).payment_status.replace(/^partially_.*/, 'paid'));
  return [
    paid,
    ...Object.entries(given).flatMap(([name, make]) => {
      const wanted = call.query.get(name);
      return wanted === null ? [] : [make(wanted)];
    }),
  ];
}

function since(field: (order: Order) => number): (wanted: string) => Filter {
  return (wanted) => (order) => field(order) >= timeOf(wanted);
}

function until(field: (order: Order) => number): (wanted: string) => Filter {
  return (wanted) => (order) => field(order) <= timeOf(wanted);
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw refuse(422, { date: [`${text} is not a date`] });
  return at;
}
