/** A former release that connects such an account again writes the service's name over it. */
export const sql = `
alter table connections add column is_name_given boolean not null default false;
`;
