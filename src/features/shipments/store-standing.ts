import type { ShipmentCategory, Standing } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { CarrierSource, ShipmentIdentity } from './shipment.ts';

const LOCK = statement<object>(
  'shipments.lock',
  `select from shipments where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])
    order by id for update`,
);

const SET_STANDING = statement<object>(
  'shipments.set-standing',
  `update shipments set carrier_status = $5, category = $6, is_final = $7, is_damaged = $8, picked_up_at = $9,
          delivered_at = $10, changed_at = $11, updated_at = $12
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = $4`,
);

export async function lockShipments(
  scope: WriteScope,
  { carrier, accountId }: Omit<CarrierSource, 'connectionId'>,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(LOCK, [carrier, accountId, ids]);
}

export async function setStanding(
  scope: WriteScope,
  { carrier, accountId, id }: ShipmentIdentity,
  standing: Standing,
  category: ShipmentCategory,
): Promise<void> {
  await scope.prepared(SET_STANDING, [
    carrier,
    accountId,
    id,
    standing.carrierStatus,
    category,
    standing.isFinal,
    standing.isDamaged,
    standing.pickedUpAt?.toString() ?? null,
    standing.deliveredAt?.toString() ?? null,
    standing.changedAt.toString(),
    scope.clock.now().toString(),
  ]);
}
