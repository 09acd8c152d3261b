import type { SitePage } from '../../platform/site-pages.ts';

/** The page of each kind of alert; other kinds have none. */
const PAGES: Readonly<Record<string, SitePage>> = {
  access: 'connections',
  cancelled_parcel: 'warehouse',
  connection: 'connections',
  connection_gaps: 'connections',
  guide_late_answer: 'warehouse',
  guide_unknown: 'warehouse',
  low_balance: 'balances',
  push: 'connections',
  pushes: 'connections',
  renewal: 'connections',
  shipment_not_settled: 'shipments',
  stream: 'connections',
  subscription: 'connections',
  too_large: 'connections',
  tracing: 'connections',
  unknown_order_status: 'orders',
  unknown_shipment_status: 'shipments',
  unreadable: 'connections',
  webhook_endpoint_disabled: 'webhooks',
  webhook_event_exhausted: 'webhooks',
  webhook_secret_unreadable: 'webhooks',
};

export function pageOfAlert(kind: string): SitePage | null {
  return PAGES[kind] ?? null;
}
