/**
 * The taxes that a document withholds, and what a certificate proves, so that neither is read from
 * sealed documents again. `withheld` is null until the housekeeping completed an older one; it does
 * so with their relations, which had an index of their own.
 */
export const sql = `
alter table cfdis
  add column withheld numeric,
  add column period text collate "C",
  add column isr numeric,
  add column iva numeric,
  add column is_of_platform boolean,
  add column replaces text collate "C";
drop index cfdis_unrelated;
`;
