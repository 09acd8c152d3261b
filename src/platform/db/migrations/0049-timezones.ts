/** The time zone in whose days an organisation thinks. */
export const sql = `
alter table organizations add column timezone text not null default 'America/Mexico_City';
`;
