/**
 * Paquetexpress's own data model beside the common one, the secrets of the addresses that it calls,
 * and what it told us there.
 */
export const sql = `
create table paquetexpress_shipments (
  organization_id uuid not null,
  account_id text not null,
  tracking_number text collate "C" not null,
  guide_number text,
  guide_number_formatted text,
  guide_type text,
  document_type text,
  status_code text not null,
  status_text text,
  status_category text not null,
  status_at timestamptz,
  service_type text,
  service_id text,
  payment_mode text,
  payment_type text,
  payment_type_text text,
  delivery_type text,
  ack_type text,
  ack_type_name text,
  insurance_type text,
  declared_value numeric,
  package_count integer,
  package_code text,
  content text,
  sat_product_id text,
  weight_kg numeric,
  length_cm numeric,
  width_cm numeric,
  height_cm numeric,
  volume_m3 numeric,
  rate_slab text,
  origin_client_id text,
  origin_name text,
  origin_branch text,
  origin_city text,
  origin_state text,
  origin_zip text,
  destination_client_id text,
  destination_name text,
  destination_tax_id text,
  destination_phone text,
  destination_branch text,
  destination_street text,
  destination_number text,
  destination_colony text,
  destination_city text,
  destination_state text,
  destination_zip text,
  delivery_route text,
  reference text,
  comments text,
  subtotal_amount numeric,
  tax_amount numeric,
  total_amount numeric,
  documented_at timestamptz,
  promised_at timestamptz,
  delivered_at timestamptz,
  last_event_code text not null,
  fetched_at timestamptz not null,
  raw text not null,
  primary key (organization_id, account_id, tracking_number)
);

/* The newest without an end; the one before works until its own. */
create table webhook_secrets (
  organization_id uuid not null,
  service text not null,
  id uuid not null,
  secret text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (organization_id, service, id)
);
create unique index webhook_secrets_current on webhook_secrets (organization_id, service) where expires_at is null;

create table carrier_receipts (
  organization_id uuid not null,
  id uuid not null,
  carrier text not null,
  received_at timestamptz not null,
  tracking_number text not null,
  code text not null,
  occurred_at timestamptz not null,
  linked boolean not null,
  duplicate boolean not null,
  payload_hash text not null,
  primary key (organization_id, id)
);
create index carrier_receipts_old on carrier_receipts (received_at);

/* False = pushed and linked, and its shipment was not looked at since: the mark is the job. */
alter table shipment_events add column receipt_id uuid, add column is_settled boolean not null default true;
create index shipment_events_unsettled on shipment_events (organization_id) where not is_settled;
create index shipment_events_recent on shipment_events (organization_id, carrier, recorded_at);
`;
