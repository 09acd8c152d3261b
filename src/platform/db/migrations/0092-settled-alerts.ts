/** The id of a person, of the last time that the alert was resolved; null = it ended by itself. */
export const sql = `
alter table alerts add column settled_by uuid;
`;
