import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { ensureClock } from '../orders/index.ts';
import { SUBSTITUTION } from './store-links.ts';

/**
 * From each of these documents, and from all that substitute one of them, back to what it
 * substitutes. Document by document: with few statistics each would be compared with all others.
 */
const INHERIT = statement<{ uuid: string }>(
  'cfdi-orders.inherit',
  `with recursive newer (uuid) as (
     select uuid collate "C" from unnest($2::text[]) as given (uuid)
     union
     select n.uuid from newer cross join lateral (
       select uuid from cfdi_relations
        where organization_id = $1 and related_uuid = newer.uuid
          and relation = '${SUBSTITUTION}' offset 0) n),
   former (uuid, former_uuid) as (
     select newer.uuid, r.related_uuid from newer cross join lateral (
       select related_uuid from cfdi_relations
        where organization_id = $1 and uuid = newer.uuid
          and relation = '${SUBSTITUTION}' offset 0) r
     union
     select f.uuid, r.related_uuid from former f
       cross join lateral (
         select related_uuid from cfdi_relations
          where organization_id = $1 and uuid = f.former_uuid
            and relation = '${SUBSTITUTION}' offset 0) r)
   insert into cfdi_orders (organization_id, uuid, marketplace, account_id, order_id, origin, state,
     linked_at)
   select distinct $1::uuid, f.uuid, l.marketplace, l.account_id, l.order_id, l.origin, 'linked',
     $3::timestamptz
     from former f
     cross join lateral (
       select issuer_rfc from cfdis
        where organization_id = $1 and uuid = f.uuid and type = 'ingreso'
          and direction <> 'received' offset 0) c
     cross join lateral (
       select from cfdis
        where organization_id = $1 and uuid = f.former_uuid
          and issuer_rfc = c.issuer_rfc offset 0) s
     cross join lateral (
       select marketplace, account_id, order_id, origin from cfdi_orders
        where organization_id = $1 and uuid = f.former_uuid and state = 'linked' offset 0) l
    where not exists (
      select from cfdi_orders own
       where own.organization_id = $1 and own.uuid = f.uuid and own.state = 'linked'
         and (own.origin <> 'person' or not exists (
           select from cfdi_orders its
            where its.organization_id = $1 and its.uuid = f.former_uuid and its.state = 'linked'
              and its.marketplace = own.marketplace and its.account_id = own.account_id
              and its.order_id = own.order_id)))
   on conflict do nothing returning uuid`,
);

/**
 * An invoice that substitutes others of its issuer is for their orders, by whom these were linked,
 * unless it names one or a person linked it to another one. @param uuids of either side
 * @returns them, and the folios with new links
 */
export async function inheritLinks(scope: WriteScope, uuids: readonly string[]): Promise<string[]> {
  if (uuids.length === 0) return [];
  // Another transaction may be storing the other side: the last one sees both.
  await ensureClock(scope);
  const rows = await scope.prepared(INHERIT, [uuids, scope.clock.now().toString()]);
  return [...new Set([...uuids, ...rows.map(({ uuid }) => uuid)])];
}
