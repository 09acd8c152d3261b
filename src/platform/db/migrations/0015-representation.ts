/** Which version of the public fields an order was rendered by; those of before are version 0. */
export const sql = `
alter table orders add column representation smallint not null default 0;
`;
