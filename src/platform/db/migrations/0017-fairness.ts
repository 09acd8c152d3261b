/**
 * A schedule remembers when its due time was set, so that a wall clock that was ahead delays
 * nothing, and how many runs in a row met a service that did not answer. A stream counts the pages
 * of its pass. A receipt may stand for many pushes.
 */
export const sql = `
alter table schedules add column planned_at timestamptz, add column setbacks smallint not null default 0;
create index schedules_planned on schedules (planned_at);
create index schedules_set_back on schedules (organization_id) where setbacks > 0;

alter table streams add column pass_pages integer not null default 0;

alter table receipts add column pushes integer not null default 1;
`;
