import { findConnector } from '../../connectors/registry.ts';
import { raiseAlert } from '../alerts/index.ts';
import type { OrderChange, OrderListener } from '../orders/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';

/** Customers' webhook events: one for every change, and another for a change of status. */
export const announceOrders: OrderListener = async (scope, changes) => {
  await emit(scope, changes.flatMap(eventsOf));
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
