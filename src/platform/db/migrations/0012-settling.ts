/**
 * Shipments of which something was pushed: such a row is the job, one for up to a hundred that came
 * together. A mark on the events themselves would be taken off again, and each time every index of
 * theirs would get a new entry. And the index by which a push finds its shipment gives the newest
 * first: of an organisation that the statistics do not know yet, the planner holds any other index
 * for as good, and reads all of its shipments, unless it saves sorting.
 *
 * Documents as received are no longer made smaller: that took a quarter of the time of storing an
 * order, in which all other changes of the organisation wait.
 */
export const sql = `
create table shipments_to_settle (
  organization_id uuid not null,
  seq bigint generated always as identity,
  carrier text not null,
  account_ids text[] not null,
  shipment_ids text[] not null,
  primary key (organization_id, seq)
);
insert into shipments_to_settle (organization_id, carrier, account_ids, shipment_ids)
  select organization_id, carrier, array_agg(account_id), array_agg(shipment_id) from (
    select *, row_number() over (partition by organization_id, carrier) - 1 as place from (
      select distinct organization_id, carrier, account_id, shipment_id from shipment_events
       where not is_settled and shipment_id is not null) as unsettled) as placed
   group by organization_id, carrier, place / 100;
drop index shipments_by_tracking;
create index shipments_by_tracking on shipments (organization_id, carrier, tracking_number, recorded_at desc);
drop index shipment_events_unsettled;
alter table shipment_events drop column is_settled;

alter table orders alter column raw set storage external;
`;
