/**
 * Carriers' documents are sealed: the box takes the place of the text, and a keyed digest that of
 * comparing it. The housekeeping seals what a former version kept.
 */
export const sql = `
alter table shipments add column raw_box bytea, alter column raw drop not null;
alter table paquetexpress_shipments add column raw_box bytea, add column raw_digest bytea,
  alter column raw drop not null;
`;
