/** Orders and their refunds. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Order, placedAt, stepAt } from '../order.ts';
import { orderDocument, refundDocuments } from './documents.ts';
import { statusOf } from './facts.ts';
import { paged, type Room, refuse } from './shop.ts';

type Filter = (order: Order) => boolean;

export function orderRoutes(room: Room): Routes {
  const { world, switches } = room;

  /** `any` leaves out what is in the trash. */
  function list(call: Call): Reply {
    room.caller(call);
    const filters = filtersOf(call, room);
    const found = world
      .orders()
      .filter(({ id }) => !switches.deleted.has(id) && !switches.trashed.has(id))
      .filter((order) => filters.every((fits) => fits(order)))
      .sort(sorting(call));
    return paged(call, room, found, (order) => orderDocument(order, room));
  }

  function find(call: Call): Order {
    room.caller(call);
    const order = world.order(call.params.id ?? '');
    if (!order || switches.deleted.has(order.id))
      throw refuse(404, 'woocommerce_rest_shop_order_invalid_id', 'Invalid ID.');
    return order;
  }

  return {
    'GET /orders': list,
    'GET /orders/:id': (call) => ({ body: orderDocument(find(call), room) }),
    'GET /orders/:id/refunds': (call) =>
      paged(call, room, refundDocuments(find(call), room), (refund) => refund),
  };
}

function sorting({ query }: Call): (a: Order, b: Order) => number {
  const way = query.get('order') === 'asc' ? 1 : -1;
  const byId = query.get('orderby') === 'id';
  return (a, b) => way * ((byId ? 0 : placedAt(a) - placedAt(b)) || Number(a.id) - Number(b.id));
}

/** Dates are compared by the second, and the one that is named is not counted itself. */
function filtersOf(call: Call, room: Room): Filter[] {
  const now = room.now();
  const changed = (order: Order) => stepAt(order, now).at;
  const known: Record<string, (wanted: string) => Filter> = {
    after: (wanted) => (order) => placedAt(order) > timeOf(wanted, call, room),
    before: (wanted) => (order) => placedAt(order) < timeOf(wanted, call, room),
    include: (wanted) => (order) => wanted.split(',').includes(order.id),
    status: (wanted) => (order) =>
      wanted === 'any' || wanted.split(',').includes(statusOf(order, room)),
    ...(!room.isOld && {
      modified_after: (wanted) => (order) => changed(order) > timeOf(wanted, call, room),
      modified_before: (wanted) => (order) => changed(order) < timeOf(wanted, call, room),
    }),
  };
  return Object.entries(known).flatMap(([name, make]) => {
    const wanted = call.query.get(name);
    return wanted === null ? [] : [make(wanted)];
  });
}

/** In the store's own time, unless the request says that the dates are GMT and the version knows that parameter. */
function timeOf(text: string, { query }: Call, { isOld, offsetMinutes }: Room): number {
  const at = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(at)) throw refuse(400, 'rest_invalid_param', 'Invalid parameter(s): date');
  return !isOld && query.get('dates_are_gmt') === 'true' ? at : at - offsetMinutes * 60_000;
}
