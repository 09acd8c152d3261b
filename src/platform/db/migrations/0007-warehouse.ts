/**
 * The warehouse: what goods weigh and measure, parcels that wait to be shipped, who did what to
 * them, and every attempt to have a guide made. Of one parcel at most one attempt may be alive; the
 * last index sees to that.
 */
export const sql = `
create table products (
  organization_id uuid not null,
  sku text collate "C" not null,
  title text not null,
  weight_kg numeric,
  length_cm numeric,
  width_cm numeric,
  height_cm numeric,
  updated_at timestamptz not null,
  primary key (organization_id, sku)
);

create table sku_equivalences (
  organization_id uuid not null,
  marketplace text not null,
  /* Empty = every account of the marketplace. */
  account_id text not null,
  code text collate "C" not null,
  sku text collate "C" not null,
  units integer not null check (units >= 1),
  updated_at timestamptz not null,
  primary key (organization_id, marketplace, account_id, code, sku)
);

create table logistics_settings (
  organization_id uuid primary key,
  settings text not null,
  updated_at timestamptz not null
);

create table warehouse_lines (
  organization_id uuid not null,
  id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  parcel text collate "C" not null,
  pack_id text collate "C",
  state text not null,
  packages integer not null check (packages >= 1),
  destination text,
  carrier text,
  tracking_number text collate "C",
  guide_number text,
  tracking_source text,
  carrier_shipment_id text,
  staged_at timestamptz not null,
  in_transit_at timestamptz,
  transferred_at timestamptz,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, marketplace, account_id, parcel)
);
create index warehouse_lines_oldest on warehouse_lines (organization_id, staged_at, id);
create index warehouse_lines_by_state on warehouse_lines (organization_id, state, staged_at, id);
create index warehouse_lines_by_tracking on warehouse_lines (organization_id, tracking_number)
  where tracking_number is not null;

create table warehouse_line_orders (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  line_id uuid not null,
  status text not null,
  items text not null,
  tags text not null,
  primary key (organization_id, marketplace, account_id, order_id)
);
create index warehouse_line_orders_of on warehouse_line_orders (organization_id, line_id, order_id);
create index warehouse_line_orders_by_id on warehouse_line_orders (organization_id, order_id);

create table warehouse_actions (
  organization_id uuid not null,
  seq bigint generated always as identity,
  line_id uuid,
  actor_kind text not null,
  actor_id text not null,
  actor_role text not null,
  action text not null,
  at timestamptz not null,
  details text not null,
  primary key (organization_id, seq)
);
create index warehouse_actions_of on warehouse_actions (organization_id, line_id, seq);

create table guide_batches (
  organization_id uuid not null,
  id uuid not null,
  idempotency_key text not null,
  fingerprint text not null,
  overrides text not null,
  actor_kind text not null,
  actor_id text not null,
  actor_role text not null,
  requested_at timestamptz not null,
  finished_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, idempotency_key)
);

create table guide_batch_lines (
  organization_id uuid not null,
  batch_id uuid not null,
  position integer not null,
  line_id uuid not null,
  outcome text,
  attempt_id uuid,
  error_code text,
  error_message text,
  primary key (organization_id, batch_id, position)
);

create table guide_attempts (
  organization_id uuid not null,
  id uuid not null,
  /* Order of arrival. */
  seq bigint generated always as identity,
  line_id uuid not null,
  batch_id uuid not null,
  reference text not null,
  state text not null,
  carrier text not null,
  connection_id uuid,
  request text,
  tracking_number text collate "C",
  guide_number text,
  amount numeric,
  available_balance numeric,
  currency text not null,
  error_code text,
  error_message text,
  zpl text,
  pdf_base64 text,
  raw text,
  queued_at timestamptz not null,
  sent_at timestamptz,
  settled_at timestamptz,
  cancelled_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, reference)
);
create index guide_attempts_of on guide_attempts (organization_id, line_id, seq);
create unique index guide_attempts_alive on guide_attempts (organization_id, line_id)
  where state in ('queued', 'sent', 'unknown') or (state = 'ok' and cancelled_at is null);
`;
