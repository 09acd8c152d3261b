import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { identityOf, type KeyRow } from './store-keys.ts';

/** Oldest first, at least one; rows that another worker is taking are left to it. */
const TAKE_UNSETTLED = statement<KeyRow>(
  'shipments.take-unsettled',
  `with waiting as (
     select seq, cardinality(shipment_ids) as own from shipments_to_settle
      where organization_id = $1 order by seq limit $2 for update skip locked),
   counted as (select seq, own, sum(own) over (order by seq) as so_far from waiting),
   taken as (
     delete from shipments_to_settle
      where organization_id = $1 and seq = any(array(
        select seq from counted where so_far <= $2 or so_far = own))
     returning carrier, account_ids, shipment_ids)
   select distinct carrier, account_id, id
     from taken cross join unnest(account_ids, shipment_ids) as named (account_id, id)
    order by carrier, account_id, id`,
);

/** Takes shipments with webhooks that have not been applied yet out of the queue. */
export async function takeUnsettled(scope: WriteScope, limit: number): Promise<ShipmentIdentity[]> {
  return (await scope.prepared(TAKE_UNSETTLED, [limit])).map(identityOf);
}

const OLDEST_UNSETTLED = statement<
  Omit<Rows['shipments_to_settle'], 'organization_id' | 'seq'> & { readonly seq: string }
>(
  'shipments.oldest-unsettled',
  `select seq::text, carrier, account_ids, shipment_ids from shipments_to_settle
    where organization_id = $1 order by seq limit 1`,
);

/** Shipments that were queued together, before all others; null where none is queued. */
export async function oldestUnsettled(
  scope: ReadScope,
): Promise<{ seq: string; shipments: ShipmentIdentity[] } | null> {
  const [row] = await scope.prepared(OLDEST_UNSETTLED, []);
  if (!row) return null;
  const { seq, carrier, account_ids, shipment_ids } = row;
  const shipments = shipment_ids.map((id, at) =>
    identityOf({ carrier, account_id: account_ids[at] as string, id }),
  );
  return { seq, shipments };
}

const REMOVE_UNSETTLED = statement<object>(
  'shipments.remove-unsettled',
  'delete from shipments_to_settle where organization_id = $1 and seq = $2::bigint',
);

export async function removeUnsettled(scope: WriteScope, seq: string): Promise<void> {
  await scope.prepared(REMOVE_UNSETTLED, [seq]);
}

const NEWEST_UNSETTLED = statement<{ seq: string | null }>(
  'shipments.newest-unsettled',
  'select max(seq) as seq from shipments_to_settle where organization_id = $1',
);

/** The newest queued entry; null where none is queued. */
export async function newestUnsettled(scope: ReadScope): Promise<string | null> {
  const [row] = await scope.prepared(NEWEST_UNSETTLED, []);
  return row?.seq ?? null;
}

const NEXT_UNSETTLED = search<{ organization_id: string }>(
  'shipments.next-unsettled',
  () => `select organization_id from shipments_to_settle where organization_id > $1::uuid`,
  'order by organization_id limit 1',
);
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Organisations with webhooks that have not been applied yet. Skips from one organisation to the
 * next in the index: in a flood an organisation has very many rows there.
 */
export async function unsettledOrganizations(handle: Handle): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const [next] = await handle.search(NEXT_UNSETTLED, [found.at(-1) ?? BEFORE_ALL]);
    if (!next) return found;
    found.push(next.organization_id);
  }
}
