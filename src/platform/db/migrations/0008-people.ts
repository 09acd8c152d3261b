/**
 * People who sign in, and what each is in which organisation. Tables and columns that better-auth
 * works with have our names (features/people/auth.ts maps them); a test compares them with what
 * it expects.
 */
export const sql = `
create table people (
  id uuid primary key,
  name text not null,
  /* In lower case. */
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  second_factor_enabled boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table sessions (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  token text not null unique,
  /* The end of the session however it is used; last_seen_at tells how long nobody used it. */
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_seen_at timestamptz
);
create index sessions_of_person on sessions (person_id);
create index sessions_by_end on sessions (expires_at);

create table credentials (
  id uuid primary key,
  account_id text not null,
  provider_id text not null,
  person_id uuid not null references people (id) on delete cascade,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  /* Argon2id with its parameters. */
  password text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index credentials_of_person on credentials (person_id);

/* What is under way: links by mail, second steps, challenges. Identifiers are hashed. */
create table verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_by_identifier on verifications (identifier);
create index verifications_by_end on verifications (expires_at);

create table second_factors (
  id uuid primary key,
  person_id uuid not null unique references people (id) on delete cascade,
  /* Encrypted. */
  secret text not null,
  /* JSON of SHA-256s. */
  backup_codes text not null,
  verified boolean not null default true,
  failed_count integer not null default 0,
  locked_until timestamptz
);

/* One-time codes that somebody signed in with; each counts once. */
create table used_codes (
  person_id uuid not null references people (id) on delete cascade,
  code_hash text not null,
  used_at timestamptz not null,
  primary key (person_id, code_hash)
);

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter integer not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index passkeys_of_person on passkeys (person_id);

/* Requests of an address to a path, counted by better-auth. */
create table sign_in_limits (
  id uuid primary key,
  key text not null unique,
  count integer not null,
  /* Epoch milliseconds. */
  last_request bigint not null
);
create index sign_in_limits_by_time on sign_in_limits (last_request);

/* Wrong passwords at an account, apart for each browser that has signed in there before. */
create table sign_in_failures (
  key text primary key,
  count integer not null,
  since timestamptz not null
);

create table members (
  organization_id uuid not null references organizations (id),
  person_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'supervisor', 'warehouse')),
  created_at timestamptz not null,
  primary key (organization_id, person_id)
);
create index members_of_person on members (person_id);

create table invitations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  /* In lower case. */
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'supervisor', 'warehouse')),
  /* SHA-256 in hex of the token in the mail. */
  token_hash text not null unique,
  /* Null: an operator. */
  invited_by uuid references people (id) on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, id)
);
`;
