import type { ShipmentCategory, Standing } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { textArray } from '../../platform/db/text-array.ts';
import type { CarrierSource, Shipment } from './shipment.ts';

const LOCK = statement<object>(
  'shipments.lock',
  `select from shipments where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])
    order by id for update`,
);

const SET_STANDINGS = statement<object>(
  'shipments.set-standings',
  `update shipments s
      set carrier_status = given.carrier_status, category = given.category, is_final = given.is_final,
          is_damaged = given.is_damaged, picked_up_at = given.picked_up_at, delivered_at = given.delivered_at,
          changed_at = given.changed_at, updated_at = $4
     from unnest($5::text[], $6::text[], $7::text[], $8::boolean[], $9::boolean[], $10::timestamptz[],
       $11::timestamptz[], $12::timestamptz[])
       as given (id, carrier_status, category, is_final, is_damaged, picked_up_at, delivered_at, changed_at)
    where s.organization_id = $1 and s.carrier = $2 and s.account_id = $3 and s.id = given.id`,
);

/** A shipment that stands elsewhere than before. */
export interface Move {
  readonly before: Shipment;
  readonly standing: Standing;
  readonly category: ShipmentCategory;
}

export async function lockShipments(
  scope: WriteScope,
  { carrier, accountId }: Omit<CarrierSource, 'connectionId'>,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(LOCK, [carrier, accountId, ids]);
}

/** @param moves of one account */
export async function setStandings(
  scope: WriteScope,
  { carrier, accountId }: Omit<CarrierSource, 'connectionId'>,
  moves: readonly Move[],
): Promise<void> {
  const standings = moves.map(({ standing }) => standing);
  await scope.prepared(SET_STANDINGS, [
    carrier,
    accountId,
    scope.clock.now().toString(),
    textArray(moves.map(({ before }) => before.id)),
    textArray(standings.map(({ carrierStatus }) => carrierStatus)),
    textArray(moves.map(({ category }) => category)),
    standings.map(({ isFinal }) => isFinal),
    standings.map(({ isDamaged }) => isDamaged),
    standings.map(({ pickedUpAt }) => pickedUpAt?.toString() ?? null),
    standings.map(({ deliveredAt }) => deliveredAt?.toString() ?? null),
    standings.map(({ changedAt }) => changedAt.toString()),
  ]);
}
