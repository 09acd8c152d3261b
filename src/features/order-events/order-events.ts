import { findConnector } from '../../connectors/registry.ts';
import { raiseAlert } from '../alerts/index.ts';
import type { OrderChange, OrderListener } from '../orders/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';

/** Webhook events for customers: every change, and changes of status once more. */
export const announceOrders: OrderListener = async (scope, changes) => {
  await emit(scope, changes.flatMap(eventsOf));
};

/** A native status that we do not know keeps its raw value and must be looked at. */
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

function eventsOf({ before, after, lastUpdated, json }: OrderChange): OutgoingEvent[] {
  const event = (type: OutgoingEvent['type'], data: string): OutgoingEvent => ({
    type,
    at: lastUpdated,
    data,
  });
  if (!before) return [event('order.created', json)];
  const updated = event('order.updated', json);
  if (before.status === after.status) return [updated];
  return [
    updated,
    event('order.status_changed', `${json.slice(0, -1)},"previous_status":"${before.status}"}`),
  ];
}
