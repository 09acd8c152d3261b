/**
 * Endpoints of customers, what is to be delivered to each of them, and every attempt. A delivery is
 * made in the transaction of its event.
 */
export const sql = `
alter table events add column envelope text not null default '{}';

create table webhook_endpoints (
  organization_id uuid not null,
  id uuid not null,
  url text not null,
  types text[] not null,
  marketplaces text[] not null,
  account_ids text[] not null,
  rate_per_minute integer check (rate_per_minute > 0),
  is_operator_trusted boolean not null,
  signature text not null check (signature in ('hmac', 'ed25519')),
  secret_box bytea not null,
  former_secret_box bytea,
  former_secret_until timestamptz,
  headers_box bytea,
  state text not null check (state in ('enabled', 'disabled', 'disabled_by_plan')),
  disabled_at timestamptz,
  disabled_because text,
  created_at timestamptz not null,
  failing_since timestamptz,
  slow_downs integer not null default 0,
  paused_until timestamptz,
  lease uuid,
  leased_until timestamptz,
  primary key (organization_id, id)
);
create index webhook_endpoints_disabled on webhook_endpoints (disabled_at)
  where state = 'disabled_by_plan';

create table webhook_deliveries (
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_at timestamptz not null,
  event_id text collate "C" not null,
  state text not null check (state in ('pending', 'delivered', 'exhausted', 'aborted')),
  tries integer not null default 0,
  due_at timestamptz not null,
  lease uuid,
  leased_until timestamptz,
  primary key (organization_id, endpoint_id, event_at, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (organization_id, endpoint_id, due_at)
  where state = 'pending';
create index webhook_deliveries_event_at on webhook_deliveries (event_at);

create table webhook_attempts (
  organization_id uuid not null,
  endpoint_id uuid not null,
  at timestamptz not null,
  id uuid not null,
  event_id text collate "C" not null,
  try integer not null,
  outcome text not null,
  status integer,
  milliseconds integer not null,
  answer text not null,
  primary key (organization_id, endpoint_id, at, id)
);
create index webhook_attempts_at on webhook_attempts (at);
`;
