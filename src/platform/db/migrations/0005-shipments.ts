/**
 * Accounts at carriers beside those at marketplaces, and their prepaid balances. Shipments of both
 * carriers in common words, and what happened to them: an event may be known before its shipment,
 * with a null `shipment_id` until then.
 */
export const sql = `
alter table connections rename column marketplace to service;
alter table connect_attempts rename column marketplace to service;
alter table balances rename column marketplace to service;
alter table balances add column balance numeric, add column credit_limit numeric;
alter table balance_history rename column marketplace to service;
alter table balance_history add column balance numeric, add column credit_limit numeric;

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
create index shipments_by_guide on shipments (organization_id, carrier, guide_number);
create index shipments_by_category on shipments (organization_id, carrier, category, created_at, account_id, id);
create index shipments_by_order on shipments (organization_id, order_id, order_marketplace, order_account_id)
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

/* What a shipment says of its order, and what orders are called besides their id: each finds the other. */
create table shipment_relations (
  organization_id uuid not null,
  value text collate "C" not null,
  carrier text not null,
  account_id text not null,
  shipment_id text collate "C" not null,
  primary key (organization_id, value, carrier, account_id, shipment_id)
);
create index shipment_relations_of on shipment_relations (organization_id, carrier, account_id, shipment_id);
create table order_relations (
  organization_id uuid not null,
  value text collate "C" not null,
  kind text not null,
  marketplace text not null,
  account_id text not null,
  order_id text collate "C" not null,
  primary key (organization_id, value, kind, marketplace, account_id, order_id)
);
create index order_relations_of on order_relations (organization_id, marketplace, account_id, order_id);
insert into order_relations
  select organization_id, told.value, told.kind, marketplace, account_id, id
    from orders o,
         lateral (select o.detail_json::jsonb -> 'channel_relations' as relations) d,
         lateral (
           select 'pack' as kind, relations ->> 'pack_id' as value
           union select 'tag', tag from jsonb_array_elements_text(relations -> 'tags') as tag where tag ~ '[0-9]{4}'
         ) told
   where told.value <> '' and o.detail_json not like '%"channel_relations":{"pack_id":null,"tags":[]}%'
  on conflict do nothing;

/* What others than the marketplace know of an order, beside what it said itself; null = nothing. */
alter table orders add column annotation text;
`;
