/** Alerts are mailed when they begin, to the members who want it. Older ones were seen already. */
export const sql = `
alter table alerts add column told_at timestamptz;
update alerts set told_at = last_at;
create index alerts_untold on alerts (organization_id)
 where resolved_at is null and (told_at is null or told_at < first_at);
alter table members add column wants_alert_mails boolean not null default true;
`;
