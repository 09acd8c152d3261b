/** Versions of the REST API whose end is announced, and the mails about it that were sent. */
export const sql = `
create table api_deprecations (
  version text collate "C" primary key,
  deprecated_at timestamptz not null,
  sunset_at timestamptz not null,
  /* Address of the version that follows. */
  successor text collate "C"
);
create table api_deprecation_notices (
  organization_id uuid not null,
  version text collate "C" not null,
  sunset_at timestamptz not null,
  /* So many before the end. */
  months int4 not null,
  primary key (organization_id, version, sunset_at, months)
);
`;
