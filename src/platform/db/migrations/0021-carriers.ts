/**
 * Parcels that bring goods back are told apart from deliveries, and each knows the parcel that it
 * follows. Stored ones are judged by what they said: a service type for returns, or a history that
 * began on the way back. Their orders may show them as the delivery, so they are put into the line
 * of those to be settled. A batch of guides keeps the account that it was asked of.
 */
export const sql = `
alter table shipments add column is_return boolean not null default false, add column parent_id text collate "C";
update shipments s
   set is_return = true, parent_id = nullif(substring(s.raw from '"parent_shipment_id": *"?([^",} ]+)'), 'null')
 where s.carrier = 'zipnova'
   and (s.service_type ilike 'return%'
     or s.category = 'DEVOLUCION' and exists (
       select from shipment_events e
        where e.organization_id = s.organization_id and e.carrier = s.carrier and e.account_id = s.account_id
          and e.shipment_id = s.id and e.code = 'return_xd_pending'
          and not exists (
            select from shipment_events before
             where before.organization_id = e.organization_id and before.carrier = e.carrier
               and before.account_id = e.account_id and before.shipment_id = e.shipment_id
               and before.occurred_at < e.occurred_at and before.category is distinct from 'PREPARACION')));
insert into shipments_to_settle (organization_id, carrier, account_ids, shipment_ids)
  select organization_id, carrier, array_agg(account_id), array_agg(id) from (
    select organization_id, carrier, account_id, id,
           row_number() over (partition by organization_id, carrier) - 1 as place
      from shipments where is_return and order_id is not null) as placed
   group by organization_id, carrier, place / 100;

alter table guide_batches add column account_id text;
`;
