import type { ShipmentCategory, Standing } from '../../carriers/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { CarrierAccount, Shipment } from './shipment.ts';

const STANDINGS = bulk('shipments', [
  'id',
  'carrier_status',
  'category',
  'is_final',
  'is_damaged',
  'picked_up_at',
  'delivered_at',
  'changed_at',
]);

const SET = STANDINGS.statement(
  'shipments.set-standings',
  (given) => `update shipments s
      set carrier_status = given.carrier_status, category = given.category,
          is_final = given.is_final, is_damaged = given.is_damaged,
          picked_up_at = given.picked_up_at, delivered_at = given.delivered_at,
          changed_at = given.changed_at, updated_at = $4
     from ${given}
    where s.organization_id = $1 and s.carrier = $2 and s.account_id = $3 and s.id = given.id`,
);

/** A shipment whose status changed. */
export interface Move {
  readonly before: Shipment;
  readonly standing: Standing;
  readonly category: ShipmentCategory;
}

/** @param moves of one account */
export async function setStandings(
  scope: WriteScope,
  { carrier, accountId }: CarrierAccount,
  moves: readonly Move[],
): Promise<void> {
  const rows = moves.map(({ before, standing, category }) => ({
    id: before.id,
    carrier_status: standing.carrierStatus,
    category,
    is_final: standing.isFinal,
    is_damaged: standing.isDamaged,
    picked_up_at: standing.pickedUpAt,
    delivered_at: standing.deliveredAt,
    changed_at: standing.changedAt,
  }));
  const place = [carrier, accountId, scope.clock.now().toString()];
  await scope.prepared(SET, SET.values(place, rows));
}
