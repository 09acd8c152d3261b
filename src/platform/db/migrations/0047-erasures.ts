/**
 * Organisations that are erased, or were. Each transaction that writes for an organisation enters it
 * first: with the row committed none enters, and the lock (`organization` of `lock-kinds.ts`) is free
 * for an exclusive holder once those that had entered are over.
 */
export const sql = `
create table erasures (
  organization_id uuid primary key,
  started_at timestamptz not null,
  /* What became of the webhooks at the services: JSON of '{service, webhooks}'. */
  services text not null,
  ended_at timestamptz
);
create table erased_rows (
  organization_id uuid not null,
  table_name text collate "C" not null,
  rows int8 not null,
  primary key (organization_id, table_name)
);
create function enter_organization(organization uuid) returns boolean
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7406014, hashtext(organization::text));
  if exists (select from erasures where organization_id = organization) then
    raise exception 'the organisation is erased' using errcode = 'TG410';
  end if;
  return true;
end $$;
`;
