import { findConnector } from '../../connectors/registry.ts';
import { formatMicros } from '../../platform/time.ts';
import { raiseAlert } from '../alerts/index.ts';
import {
  changedFields,
  ORDER_FIELDS,
  type OrderChange,
  type OrderListener,
} from '../orders/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';

/** Webhook events for customers: one for each change. */
export const announceOrders: OrderListener = async (scope, changes) => {
  await emit(scope, changes.map(eventOf));
};

/** An unknown native status keeps its raw value, and a person must look at it. */
export const alertUnknownStatus: OrderListener = async (scope, changes) => {
  const unknown = changes.filter(({ after }) => after.status === 'unknown');
  const subjects = new Map(
    unknown.map(({ after }) => [
      [after.marketplace, after.marketplaceStatus, after.fulfillmentStatus ?? ''].join(' ').trim(),
      after,
    ]),
  );
  for (const [subject, { marketplace, marketplaceStatus }] of subjects) {
    const name = findConnector(marketplace)?.name ?? marketplace;
    const message = `${name} usa un estado que todavía no conocemos: «${marketplaceStatus}». La orden se guardó como «Sin clasificar».`;
    await raiseAlert(scope, { kind: 'unknown_order_status', subject, message });
  }
};

function eventOf({ before, after, lastUpdated, json }: OrderChange): OutgoingEvent {
  const changed = before ? changedFields(before, after) : ORDER_FIELDS;
  const reported = { at: lastUpdated, data: json, sequence: formatMicros(lastUpdated), changed };
  if (!before) return { ...reported, type: 'order.created' };
  if (before.status === after.status) return { ...reported, type: 'order.updated' };
  return { ...reported, type: 'order.status_changed', previousStatus: before.status };
}
