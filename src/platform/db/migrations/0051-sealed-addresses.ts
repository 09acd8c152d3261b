/**
 * Where parcels go, requests for guides and their labels are sealed. The housekeeping seals what a
 * former version stored. The carrier's answer to a request for a guide has no reader.
 */
export const sql = `
alter table warehouse_lines add column destination_box bytea;
alter table guide_attempts add column request_box bytea, add column zpl_box bytea,
  add column pdf_box bytea, drop column raw;
alter table paquetexpress_shipments add column personal_box bytea;
drop index guide_attempts_with_labels;
`;
