/** The person who settled an alert the last time that it was resolved; null = it ended by itself. */
export const sql = `
alter table alerts add column settled_by uuid;
`;
