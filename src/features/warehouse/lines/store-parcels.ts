import { bulk } from '../../../platform/db/bulk.ts';
import { together, type WriteScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import type { NewLine, OrderKey } from './store-lines.ts';

const PARCELS = bulk('warehouse_lines', ['marketplace', 'account_id', 'parcel']);

/**
 * Each line is found by the name of its parcel. `between`: so that an index without the order of
 * the key costs a sort.
 */
const named = (given: string) => `${given} cross join lateral (
         select id from warehouse_lines
          where organization_id = $1 and marketplace = given.marketplace
            and account_id = given.account_id and parcel between given.parcel and given.parcel
          order by parcel limit 1) as named`;

/** In the order of ids: with few statistics a join would compare each with all lines. */
const LOCK_PARCELS = PARCELS.statement<{ id: string }>(
  'warehouse-lines.lock-parcels',
  (given) => `select locked.id from (
       select named.id from ${named(given)} order by named.id) as wanted
     cross join lateral (
       select line.id from warehouse_lines line
        where line.organization_id = $1 and line.id between wanted.id and wanted.id
        order by line.id for update of line) as locked`,
);

/** A parcel that is documented, in transit or transferred takes no further order. */
const LINES_OF_PARCELS = PARCELS.statement<{
  id: string;
  marketplace: string;
  account_id: string;
  parcel: string;
  is_open: boolean;
}>(
  'warehouse-lines.of-parcels',
  (given) => `select line.* from ${named(given)}
     cross join lateral (
       select id, marketplace, account_id, parcel,
              in_transit_at is null and transferred_at is null and tracking_number is null
                and not exists (select from guide_attempts attempt
                                 where attempt.organization_id = $1 and attempt.line_id = named.id
                                   and (attempt.state in ('queued', 'sent', 'unknown')
                                     or (attempt.state = 'ok' and attempt.cancelled_at is null))) as is_open
         from warehouse_lines
        where organization_id = $1 and id between named.id and named.id
        order by id limit 1) as line`,
);

/** Locked. @returns by marketplace, account and parcel */
export async function linesOfParcels(
  scope: WriteScope,
  parcels: readonly Pick<NewLine, 'marketplace' | 'accountId' | 'parcel'>[],
): Promise<ReadonlyMap<string, { id: string; isOpen: boolean }>> {
  if (parcels.length === 0) return new Map();
  const wanted = parcels.map(({ marketplace, accountId, parcel }) => ({
    marketplace,
    account_id: accountId,
    parcel,
  }));
  // In this order: whether a guide is being made is read once the line is locked.
  const [, rows] = await together([
    scope.prepared(LOCK_PARCELS, LOCK_PARCELS.values([], wanted)),
    scope.prepared(LINES_OF_PARCELS, LINES_OF_PARCELS.values([], wanted)),
  ] as const);
  return new Map(
    rows.map((row) => [
      `${row.marketplace}\n${row.account_id}\n${row.parcel}`,
      { id: row.id, isOpen: row.is_open },
    ]),
  );
}

const RENAME = statement<object>(
  'warehouse-lines.rename',
  `update warehouse_lines set parcel = $3, pack_id = $4, updated_at = $5::timestamptz
    where organization_id = $1 and id = $2::uuid`,
);

const NAME_PACK = statement<object>(
  'warehouse-lines.name-pack',
  `update warehouse_lines set pack_id = $3
    where organization_id = $1 and id = $2::uuid
      and (select count(*) from warehouse_line_orders placed
            where placed.organization_id = $1 and placed.line_id = $2::uuid) = 1`,
);

const MOVE_ORDER = statement<object>(
  'warehouse-lines.move-order',
  `update warehouse_line_orders set line_id = $5::uuid
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4`,
);

/** Makes it the line of another parcel, with all that people entered. */
export async function renameLine(
  scope: WriteScope,
  lineId: string,
  { parcel, packId }: Pick<NewLine, 'parcel' | 'packId'>,
): Promise<void> {
  await scope.prepared(RENAME, [lineId, parcel, packId, scope.clock.now().toString()]);
}

export async function moveOrder(
  scope: WriteScope,
  { marketplace, accountId, id }: OrderKey,
  lineId: string,
): Promise<void> {
  await scope.prepared(MOVE_ORDER, [marketplace, accountId, id, lineId]);
}

/** A line of one order is found by the number of the pack that the order has now. */
export async function namePack(
  scope: WriteScope,
  lineId: string,
  packId: string | null,
): Promise<void> {
  await scope.prepared(NAME_PACK, [lineId, packId]);
}
