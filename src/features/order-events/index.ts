/** What happens because orders changed: customers are told, and unknown statuses raise alerts. */
export { alertUnknownStatus, announceOrders } from './order-events.ts';
