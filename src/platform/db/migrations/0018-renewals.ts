/**
 * A renewal under way is marked, so that a process that renews the same credentials after a lock
 * was lost knows that its refusal may come from the other's success. Schedules of connections that
 * never were: two processes had connected one account at the same moment, and one of the two ids
 * was not stored.
 */
export const sql = `
alter table connections add column renewing_since timestamptz;

delete from schedules s
  where task in ('sync', 'sweep', 'renew', 'subscribe', 'trace')
    and not exists (
      select from connections c
       where c.organization_id = s.organization_id and c.id::text = split_part(s.subject, ':', 1));
`;
