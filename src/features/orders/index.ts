/** Orders: recorded by one writer, listed by creation or by change, read one by one. */
export { type ClockCache, openClockCache } from './clock-cache.ts';
export { forgetBuyers } from './forget-buyers.ts';
export { getOrder, type WhichOrder } from './get-order.ts';
export { emptyPage, listOrders, type OrderPage, type OrderQuery } from './list-orders.ts';
export {
  abbreviate,
  FINAL_STATUSES,
  type Order,
  type OrderChange,
  type OrderIdentity,
  type OrderListener,
  type PublicOrder,
} from './order.ts';
export { readOrder, UnreadableOrder } from './read-order.ts';
export { type Recorded, recordOrders } from './record-orders.ts';
export { type AccountOfOrders, idsAfter as orderIdsAfter, openOrders } from './store.ts';
export type { OrderFilters } from './store-page.ts';
export { everyOrder, ordersOfPeriod } from './stored-orders.ts';
