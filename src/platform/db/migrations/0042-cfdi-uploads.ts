/**
 * Uploads of tax documents and their files, each of which waits until it is read or set aside. Names
 * and content are sealed; the content goes once it is read.
 */
export const sql = `
create table cfdi_uploads (
  organization_id uuid not null,
  id uuid not null,
  asked_at timestamptz not null,
  primary key (organization_id, id)
);
create index cfdi_uploads_asked_at on cfdi_uploads (asked_at);
create table cfdi_upload_files (
  organization_id uuid not null,
  upload_id uuid not null,
  place int4 not null,
  name_box bytea not null,
  size int4 not null,
  crc int8 not null,
  packed_box bytea,
  state text collate "C" not null check (state in ('waiting', 'new', 'known', 'refused')),
  uuid text collate "C",
  reason text collate "C",
  message text,
  asked_at timestamptz not null,
  primary key (organization_id, upload_id, place),
  check ((state = 'waiting') = (packed_box is not null)),
  check ((state = 'refused') = (reason is not null))
);
create index cfdi_upload_files_waiting on cfdi_upload_files (organization_id, upload_id, place)
  where state = 'waiting';
create index cfdi_upload_files_asked_at on cfdi_upload_files (asked_at);
`;
