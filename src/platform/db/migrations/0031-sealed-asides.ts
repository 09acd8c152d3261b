/**
 * Documents of what was set aside are sealed. Those of before go: each thing is asked for again
 * with the next sweep.
 */
export const sql = `
update unreadable_items set raw = '' where raw <> '';
alter table unreadable_items rename column raw to box;
`;
