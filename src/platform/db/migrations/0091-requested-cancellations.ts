/**
 * Orders are found by `cancellation_requested`, too. The housekeeping gives stored orders that term,
 * where there may be any.
 */
export const sql = `
insert into order_term_builds (organization_id, marketplace, account_id, id)
  select organization_id, '', '', '' from delta_clocks clocks
   where exists (select 1 from orders
                  where organization_id = clocks.organization_id and marketplace = 'vtex')
  on conflict (organization_id)
    do update set marketplace = '', account_id = '', id = '', is_repeated = false;
`;
