/** Buyers who asked to be forgotten stay so, whatever a marketplace says of their orders later. */
export const sql = `
alter table orders add column is_buyer_forgotten boolean not null default false;
`;
