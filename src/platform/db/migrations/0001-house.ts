/** Organisations, their keys and connections, orders with their history, and what the jobs need. */
export const sql = `
create table organizations (
  id uuid primary key,
  public_id text not null unique,
  name text not null,
  plan text not null,
  quota_override integer check (quota_override >= 1),
  trial_ends_at timestamptz,
  suspended_at timestamptz,
  created_at timestamptz not null
);

create table delta_clocks (
  organization_id uuid primary key references organizations (id),
  stamp timestamptz not null
) with (fillfactor = 50);

create table api_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null unique,
  name text not null,
  hash text not null unique,
  last_four text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid,
  primary key (organization_id, id)
);

create table connections (
  organization_id uuid not null references organizations (id),
  id uuid not null unique,
  marketplace text not null,
  account_id text not null,
  name text not null,
  base_url text,
  credentials text,
  credentials_expire_at timestamptz,
  state text not null,
  state_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  disconnected_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, marketplace, account_id)
);
create index connections_by_account on connections (marketplace, account_id);

create table streams (
  organization_id uuid not null,
  connection_id uuid not null,
  stream text not null,
  watermark timestamptz,
  position text,
  window_from timestamptz,
  window_to timestamptz,
  largest_seen timestamptz,
  pages bigint not null default 0,
  items bigint not null default 0,
  first_import_done_at timestamptz,
  last_sync_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  primary key (organization_id, connection_id, stream)
);

create table unreadable_items (
  organization_id uuid not null,
  connection_id uuid not null,
  stream text not null,
  digest text not null,
  external_id text,
  reason text not null,
  raw text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  times integer not null default 1,
  primary key (organization_id, connection_id, stream, digest)
);

create table alerts (
  organization_id uuid not null,
  kind text not null,
  subject text not null,
  message text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null default 1,
  resolved_at timestamptz,
  primary key (organization_id, kind, subject)
);

create table orders (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  id text collate "C" not null,
  connection_id uuid,
  status text collate "C" not null,
  marketplace_status text not null,
  total numeric,
  currency text not null,
  date_created timestamptz not null,
  newest_first bigint not null,
  last_updated timestamptz not null,
  changed_at timestamptz,
  fetched_at timestamptz not null,
  fingerprint text not null,
  list_json text not null,
  detail_json text not null,
  raw text,
  primary key (organization_id, marketplace, account_id, id)
);
create index orders_by_id on orders (organization_id, id);
create index orders_newest on orders (organization_id, newest_first, marketplace, account_id, id);
create index orders_newest_by_status on orders (organization_id, status, newest_first, marketplace, account_id, id);
create index orders_newest_by_marketplace on orders (organization_id, marketplace, newest_first, account_id, id);
create index orders_newest_by_both on orders (organization_id, marketplace, status, newest_first, account_id, id);
create index orders_newest_by_account on orders (organization_id, account_id, newest_first, marketplace, id);
create index orders_updated on orders (organization_id, last_updated);
create index orders_updated_by_status on orders (organization_id, status, last_updated);
create index orders_updated_by_marketplace on orders (organization_id, marketplace, last_updated);
create index orders_updated_by_account on orders (organization_id, account_id, last_updated);
create index orders_open on orders (organization_id, connection_id, id)
  where status in ('pending', 'paid', 'ready_to_ship', 'partially_shipped', 'shipped', 'unknown');

create table order_history (
  organization_id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  order_id text collate "C" not null,
  recorded_at timestamptz not null,
  at timestamptz not null,
  status text not null,
  marketplace_status text not null,
  previous_status text,
  primary key (organization_id, marketplace, account_id, order_id, recorded_at)
);

create table stock_levels (
  organization_id uuid not null,
  marketplace text not null,
  account_id text not null,
  item_id text not null,
  variation_id text not null default '',
  warehouse text not null,
  connection_id uuid not null,
  sku text,
  title text not null,
  available bigint not null,
  unavailable bigint not null,
  updated_at timestamptz not null,
  primary key (organization_id, marketplace, account_id, item_id, variation_id, warehouse)
);

create table events (
  organization_id uuid not null,
  id text not null,
  type text not null,
  created_at timestamptz not null,
  data text not null,
  primary key (organization_id, created_at, id)
);

create table receipts (
  organization_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  source text not null,
  received_at timestamptz not null,
  body text not null,
  processed_at timestamptz,
  outcome text,
  primary key (organization_id, id)
);
create index receipts_waiting on receipts (received_at) where processed_at is null;

create table schedules (
  organization_id uuid not null,
  task text not null,
  subject text not null,
  every_seconds integer not null,
  due_at timestamptz not null,
  claimed_at timestamptz,
  primary key (organization_id, task, subject)
);
create index schedules_due on schedules (due_at);

create table connect_attempts (
  organization_id uuid not null,
  state_hash text not null,
  marketplace text not null,
  verifier text not null,
  expires_at timestamptz not null,
  primary key (organization_id, state_hash)
);
create unique index connect_attempts_by_state on connect_attempts (state_hash);
`;
