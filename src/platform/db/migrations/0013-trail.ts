/**
 * Who did what in an organisation, when and from where, by ids; and what API keys remember of their
 * making. `form_id` is the form that a key was made with: sent again, it makes no second one.
 */
export const sql = `
create table acts (
  organization_id uuid not null,
  /* Order of arrival. */
  seq bigint generated always as identity,
  at timestamptz not null,
  act text not null,
  done_by text not null check (done_by in ('person', 'operator', 'house')),
  /* Stays when the person leaves. */
  person_id uuid,
  address text,
  /* The id of whom or what it was done to. */
  subject text,
  /* What that is called, where it is no person. */
  label text,
  role text,
  primary key (organization_id, seq),
  check ((done_by = 'person') = (person_id is not null))
);
create index acts_by_time on acts (at);

alter table api_keys
  /* Null: made before this was kept. */
  add column made_by text check (made_by in ('person', 'operator')),
  add column made_by_person uuid,
  /* Days before the end at which its people were told last. */
  add column end_told_at_days integer,
  add column form_id uuid;
create unique index api_keys_by_form on api_keys (organization_id, form_id) where form_id is not null;
/* Of a few that end soon, among all. */
create index api_keys_by_end on api_keys (expires_at) where revoked_at is null and replaced_by is null;
`;
