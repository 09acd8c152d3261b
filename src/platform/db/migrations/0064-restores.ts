/** Restores of this installation, so that no guide that was bought since the backup is bought again. */
export const sql = `
create table restores (
  restored_at timestamptz primary key,
  /* The instant of the backup. */
  as_of timestamptz not null
);
`;
