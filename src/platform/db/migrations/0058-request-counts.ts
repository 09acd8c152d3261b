/** Requests of each API key and agent by the minute, for the usage of the last day. */
export const sql = `
create table request_counts (
  organization_id uuid not null,
  minute timestamptz not null,
  caller_kind text collate "C" not null check (caller_kind in ('key', 'agent')),
  caller_id text collate "C" not null,
  admitted int4 not null,
  refused int4 not null,
  primary key (organization_id, minute, caller_kind, caller_id)
);
create index request_counts_by_minute on request_counts (minute);
`;
