/**
 * The XML of documents is kept packed; null = unpacked, as the former release stores it. That
 * release cannot open what is stored packed: its download fails until this one answers again.
 */
export const sql = `
alter table cfdis add column xml_size int4;
`;
