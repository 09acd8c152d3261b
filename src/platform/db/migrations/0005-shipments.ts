/**
 * Shipments of both carriers in common words, and what happened to them. An event may be known before its
 * shipment: until that comes, `shipment_id` is null.
 */
export const sql = `
create table shipments (
  organization_id uuid not null,
  carrier text not null,
  account_id text not null,
  id text collate "C" not null,
  connection_id uuid not null,
  tracking_number text collate "C",
  guide_number text,
  category text not null,
  carrier_status text not null,
  is_final boolean not null,
  is_damaged boolean not null,
  final_carrier text,
  service_type text,
  cost numeric,
  currency text not null,
  declared_value numeric,
  created_at timestamptz not null,
  picked_up_at timestamptz,
  delivered_at timestamptz,
  estimated_delivery timestamptz,
  origin text,
  destination text,
  packages text not null,
  order_reference text,
  relations text not null,
  order_marketplace text,
  order_account_id text,
  order_id text collate "C",
  changed_at timestamptz,
  fetched_at timestamptz not null,
  recorded_at timestamptz not null,
  updated_at timestamptz not null,
  fingerprint text not null,
  raw text not null,
  primary key (organization_id, carrier, account_id, id)
);
create index shipments_newest on shipments (organization_id, created_at, carrier, account_id, id);
create index shipments_by_tracking on shipments (organization_id, carrier, tracking_number);
create index shipments_by_category on shipments (organization_id, category, created_at, carrier, account_id, id);
create index shipments_by_order on shipments (organization_id, order_marketplace, order_account_id, order_id)
  where order_id is not null;
create index shipments_open on shipments (organization_id, connection_id, id) where not is_final;

create table shipment_events (
  organization_id uuid not null,
  carrier text not null,
  tracking_number text collate "C" not null,
  code text not null,
  occurred_at timestamptz not null,
  /* Order of arrival, for events of one instant. */
  seq bigint generated always as identity,
  source text not null,
  category text,
  description text,
  location text,
  account_id text,
  shipment_id text collate "C",
  recorded_at timestamptz not null,
  raw text not null,
  primary key (organization_id, carrier, tracking_number, code, occurred_at)
);
create index shipment_events_of on shipment_events (organization_id, carrier, account_id, shipment_id, occurred_at);
create index shipment_events_orphans on shipment_events (organization_id, carrier, tracking_number)
  where shipment_id is null;
`;
