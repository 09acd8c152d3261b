/** The filters of lists that people keep, and below which balance an organisation wants an alert. */
export const sql = `
create table saved_views (
  organization_id uuid not null,
  person_id uuid not null,
  /* The screen. */
  place text collate "C" not null,
  name text collate "C" not null,
  query text not null,
  saved_at timestamptz not null,
  primary key (organization_id, person_id, place, name),
  foreign key (organization_id, person_id) references members (organization_id, person_id)
    on delete cascade
);

create table balance_floors (
  organization_id uuid not null,
  service text collate "C" not null,
  account_id text collate "C" not null,
  purse text collate "C" not null,
  currency text collate "C" not null,
  least numeric not null check (least > 0),
  primary key (organization_id, service, account_id, purse, currency)
);
`;
