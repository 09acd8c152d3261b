/** A label that is printed again has the buyer's address: of these lines none is stored. */
export const sql = `
alter table warehouse_lines add column is_buyer_forgotten boolean not null default false;
`;
