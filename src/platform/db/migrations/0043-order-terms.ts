/** What orders are found by. Orders that are stored already get their terms from the housekeeping. */
export const sql = `
create table order_terms (
  organization_id uuid not null,
  /* A kind and a value: see the terms of orders. */
  term text collate "C" not null,
  newest_first bigint not null,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  id text collate "C" not null,
  primary key (organization_id, term, newest_first, marketplace, account_id, id)
);

create table order_titles (
  organization_id uuid not null,
  title text collate "C" not null,
  primary key (organization_id, title)
);

create table order_term_builds (
  organization_id uuid not null primary key,
  marketplace text collate "C" not null,
  account_id text collate "C" not null,
  id text collate "C" not null
);
insert into order_term_builds select organization_id, '', '', '' from delta_clocks;
`;
