/**
 * Tax documents by their folio, however they came. What names people, the record and the XML, is
 * sealed; the XML is kept byte by byte, since its seal covers it.
 */
export const sql = `
create table cfdis (
  organization_id uuid not null,
  uuid text collate "C" not null,
  kind text not null check (kind in ('cfdi', 'withholding')),
  type text collate "C",
  issuer_rfc text collate "C" not null,
  receiver_rfc text collate "C",
  currency text,
  total numeric,
  issued_at timestamptz not null,
  source text not null,
  recorded_at timestamptz not null,
  record_box bytea not null,
  xml_box bytea not null,
  primary key (organization_id, uuid)
);
create index cfdis_by_time on cfdis (organization_id, kind, issued_at, uuid);
`;
