/**
 * The XML of a marketplace's document of a CFDI is sealed. The housekeeping seals what a former
 * version stored.
 */
export const sql = `
alter table invoice_documents add column xml_box bytea, add column xml_digest bytea,
  add column xml_bytes integer;
`;
