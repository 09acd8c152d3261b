/**
 * The fields of a batch of guides that differ from the settings may name a tax id, and are sealed.
 * The housekeeping seals what a former version stored.
 */
export const sql = `
alter table guide_batches add column overrides_box bytea, alter column overrides drop not null;
`;
