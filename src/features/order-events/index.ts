/** Consequences of changed orders: events for customers, and alerts for unknown statuses. */
export { alertUnknownStatus, announceOrders } from './order-events.ts';
