/**
 * What is kept of buyers is sealed with a key of their organisation; what was kept before is sealed
 * by the housekeeping.
 */
export const sql = `
create table data_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  /* Sealed with the master key. */
  box text not null,
  made_at timestamptz not null,
  primary key (organization_id, id)
);
alter table order_documents add column is_sealed boolean not null default false;
`;
