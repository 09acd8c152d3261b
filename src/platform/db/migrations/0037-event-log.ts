/**
 * The order in which events were committed, for programs that read the event log; what a key did in
 * the trail.
 */
export const sql = `
create table event_clocks (
  organization_id uuid primary key,
  stamp timestamptz not null
);
alter table events add column logged_at timestamptz;
alter table acts add column key_id uuid;
alter table acts drop constraint acts_done_by_check;
alter table acts add constraint acts_done_by_check
  check (done_by in ('person', 'key', 'operator', 'house')),
  add check ((done_by = 'key') = (key_id is not null));
`;
