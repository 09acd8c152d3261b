/**
 * What orders are found by, in half the bytes. `order_terms` goes with the next release: the former
 * one still uses it. The housekeeping gives all orders their terms, and once more an hour later,
 * because the former release may have written some meanwhile.
 */
export const sql = `
create table search_terms (
  organization_id uuid not null,
  /* A kind and a value: see the terms of orders. */
  term text collate "C" not null,
  newest_first bigint not null,
  /* Of the order, among those created in the same millisecond. */
  order_key bigint not null,
  primary key (organization_id, term, newest_first, order_key)
);

insert into order_term_builds (organization_id, marketplace, account_id, id)
  select organization_id, '', '', '' from delta_clocks
  on conflict (organization_id) do update set marketplace = '', account_id = '', id = '';
alter table order_term_builds add column is_repeated boolean not null default false;
`;
