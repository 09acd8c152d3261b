/**
 * The last sync runs of each stream, a row for each of its slots, and what the run under way has
 * read. The number of rows does not grow with time.
 */
export const sql = `
create table sync_runs (
  organization_id uuid not null,
  connection_id uuid not null,
  stream text collate "C" not null,
  slot int4 not null,
  number int4 not null,
  begun_at timestamptz not null,
  ended_at timestamptz not null,
  outcome text collate "C" not null check (outcome in ('done', 'behind', 'stopped')),
  items int4 not null,
  reason text,
  primary key (organization_id, connection_id, stream, slot)
);

alter table streams
  add column pass_items int4 not null default 0,
  add column pass_total int4;
`;
