/** People who sign in, and what each is in which organisation. What better-auth keeps about a person has its names here. */
export const sql = `
create table people (
  id uuid primary key,
  name text not null,
  /* In lower case. */
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  second_factor_enabled boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table members (
  organization_id uuid not null references organizations (id),
  person_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'supervisor', 'warehouse')),
  created_at timestamptz not null,
  primary key (organization_id, person_id)
);
create index members_of_person on members (person_id);
`;
