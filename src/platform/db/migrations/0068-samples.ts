/** Organisations whose orders are samples. */
export const sql = `
alter table organizations add column is_sample boolean not null default false;
`;
