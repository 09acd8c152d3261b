/** What was erased, forgotten or revoked, so that a restored backup does not bring it back. */
export const sql = `
create table removals (
  id uuid primary key,
  at timestamptz not null,
  kind text not null,
  /* No foreign key: the row of an erased organisation outlives it. */
  organization_id uuid not null,
  /* JSON. */
  subject text not null,
  /* Null = the journal does not have it yet. */
  written_at timestamptz
);
create index removals_by_at on removals (at);
create index removals_of on removals (organization_id);
create index removals_unwritten on removals (id) where written_at is null;
`;
