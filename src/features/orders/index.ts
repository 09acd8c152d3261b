/** Orders: recorded by one writer; listed by creation or by change, or read singly. */

export { accountsToPack } from './accounts-to-pack.ts';
export { annotate } from './annotate.ts';
export type { DeltaClock } from './as-of.ts';
export { type ClockCache, openClockCache } from './clock-cache.ts';
export { documentsOf } from './documents.ts';
export { type OrderPosition, ordersAfter, ordersAsOf } from './export-orders.ts';
export { NAMESAKE_FILTERS, ORDER_FILTERS, type OrderFilters } from './filters.ts';
export { forgetBuyers } from './forget-buyers.ts';
export { forgetAllDocuments, forgetDocuments } from './forget-documents.ts';
export { getOrder } from './get-order.ts';
export type { LedgerMoney } from './known.ts';
export { linkDocuments } from './link-documents.ts';
export { detailed } from './list-details.ts';
export { emptyPage, listOrders, type OrderPage, type OrderQuery } from './list-orders.ts';
export { deliveredOrders, openOrders, sentOrders, storedAmong } from './open-orders.ts';
export {
  type AccountOfOrders,
  alongside,
  type ListenersOf,
  type Order,
  type OrderChange,
  type OrderIdentity,
  type OrderListener,
  orderKey,
  type PublicOrder,
} from './order.ts';
export { ordersOfForgotten } from './orders-of-forgotten.ts';
export { packDocuments } from './pack-documents.ts';
export { IMPORT_ACCOUNT, ORDER } from './public/fields.ts';
export { EARNINGS, type OrderEarnings, type OrderView } from './public/order-view.ts';
export { changedFields, ORDER_FIELDS } from './public/render.ts';
export { ORDER_SHAPES } from './public/schema.ts';
export { readOrder, UnreadableOrder } from './read-order.ts';
export { recordOrders } from './record-orders.ts';
export { type Rerendered, rerenderNext, skipNext, type UnreadDocument } from './rerender-orders.ts';
export {
  beginRerendering,
  dropRerendering,
  organizationsToRerender,
  type RerenderingProgress,
  rerenderingOf,
  rerenderingsUnderWay,
} from './rerendering.ts';
export {
  advanceRerendering,
  dueRerenderings,
  lockDueRerendering,
  putOffRerendering,
} from './rerendering-steps.ts';
export { organizationsToSeal, sealDocuments } from './seal-documents.ts';
export { indexOlderOrders, organizationsToIndex } from './search/index-older-orders.ts';
export { indexOrders } from './search/index-orders.ts';
export { countOpen, openTagsOf } from './search/open-tags.ts';
export {
  continuesSearch,
  isSearch,
  orderWords,
  SEARCH_FILTERS,
  type SearchFilters,
  searchOrders,
} from './search/search-orders.ts';
export { ensureClock, readClock } from './store-clock.ts';
export { ordersBySlot } from './store-figures.ts';
export { ceilMillis } from './store-page.ts';
export type { Rerendering } from './store-rerendering.ts';
export { syncDelays, syncDelaysBySlot } from './store-sync-delays.ts';
export {
  IS_WORTH,
  type OrderTotal,
  ordersOfTotal,
  orderTotals,
  packTotals,
} from './store-totals.ts';
export { countOrdersOf, idsAfter as orderIdsAfter, ordersNamed } from './store-walks.ts';
export { everyOrder, ordersOfPeriod } from './stored-orders.ts';
export { documentRetention, thinDocuments } from './thin-documents.ts';
export { type EmptyCause, whyEmpty } from './why-empty.ts';
