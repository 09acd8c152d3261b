/** A run that ends while its pages become smaller goes on with the size that it came to. */
export const sql = `
alter table streams add column page_limit integer;
`;
