/** Rows set aside without an id are read again with the time from which they came. */
export const sql = `
alter table unreadable_items add column window_from timestamptz;
`;
