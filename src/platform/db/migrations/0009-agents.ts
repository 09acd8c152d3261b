/**
 * What agents hold. `oauth_records` belongs to the authorization server, one row for each of its
 * things, secrets as SHA-256; `agent_grants` says which agent reads for whom, and `agent_calls`
 * what it asked, without what it asked for. `oauth_keys` are what the server signs with.
 */
export const sql = `
create table oauth_records (
  model text not null,
  id text collate "C" not null,
  payload text not null,
  grant_id text collate "C",
  uid text collate "C",
  expires_at timestamptz,
  consumed_at timestamptz,
  primary key (model, id)
);
create index oauth_records_by_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_by_uid on oauth_records (uid) where uid is not null;
create index oauth_records_by_end on oauth_records (expires_at) where expires_at is not null;

create table agent_grants (
  organization_id uuid not null references organizations (id),
  grant_id text collate "C" not null unique,
  person_id uuid not null references people (id) on delete cascade,
  client_id text not null,
  client_name text not null,
  redirect_host text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  disconnected_at timestamptz,
  primary key (organization_id, grant_id)
);
create index agent_grants_of_person on agent_grants (person_id);

create table agent_calls (
  organization_id uuid not null,
  seq bigint generated always as identity,
  grant_id text collate "C" not null,
  person_id uuid not null,
  client_id text not null,
  tool text not null,
  at timestamptz not null,
  duration_ms integer not null,
  /* Rows in the answer. */
  row_count integer not null,
  /* 'ok', or the code of the failure. */
  outcome text not null,
  primary key (organization_id, seq)
);
create index agent_calls_by_time on agent_calls (at);

/* How often each grant called each tool; kept beside the calls, which are many and go after a year. */
create table agent_tools (
  organization_id uuid not null,
  grant_id text collate "C" not null,
  tool text not null,
  calls bigint not null,
  last_at timestamptz not null,
  primary key (organization_id, grant_id, tool)
);

create table oauth_keys (
  id uuid primary key,
  /* Sealed: the private key, and the secret that signs cookies. */
  box text not null,
  made_at timestamptz not null
);
`;
