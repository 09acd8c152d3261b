/** What the ledger, payouts and tax documents do not explain, by what it is about. */
export const sql = `
create table findings (
  organization_id uuid not null,
  id uuid not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  kind text collate "C" not null,
  subject text collate "C" not null,
  state text collate "C" not null check (state in ('open', 'explained', 'resolved')),
  amount numeric not null,
  expected numeric,
  currency text not null,
  since timestamptz not null,
  found_at timestamptz not null,
  changed_at timestamptz not null,
  note text,
  primary key (organization_id, marketplace, account_id, kind, subject)
);
create unique index findings_by_id on findings (organization_id, id);
create index findings_by_state on findings (organization_id, state, since desc, id);
create index findings_oldest on findings (changed_at) where state = 'resolved';
`;
