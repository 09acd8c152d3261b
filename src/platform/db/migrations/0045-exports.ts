/** Exports that the service makes and keeps for some days, sealed in parts. */
export const sql = `
create table exports (
  organization_id uuid not null,
  id uuid not null,
  what text not null,
  format text not null,
  /* Days of Mexico City, both included; null = without that end. */
  from_day text,
  to_day text,
  /* Whether it has the seller's charges and earnings. */
  has_earnings boolean not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed')),
  /* Why it failed. */
  failure text check (failure in ('disk_full', 'interrupted')),
  /* How often a process began to work on it. */
  tries integer not null default 0,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  as_of text,
  /* Where a process that goes on after another one begins, as JSON. */
  progress text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (organization_id, id)
);
create index exports_created_at on exports (created_at);

create table export_chunks (
  organization_id uuid not null,
  export_id uuid not null,
  at integer not null,
  /* Compressed, then sealed. */
  box bytea not null,
  primary key (organization_id, export_id, at)
);
alter table export_chunks alter column box set storage external;
`;
