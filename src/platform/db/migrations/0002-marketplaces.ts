/**
 * What connecting ten marketplaces needs beyond the first: stores with their own consent page,
 * secrets of pushes.
 */
export const sql = `
alter table connections add column push_secret text;
alter table connect_attempts add column store text;
alter table stock_levels alter column available drop not null;
`;
