import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { NewLine } from './store-lines.ts';

const PARCELS = bulk('warehouse_lines', ['marketplace', 'account_id', 'parcel']);

/**
 * A parcel that is documented, in transit or transferred takes no further order. Each is found by
 * its name and locked by its id, in the order of ids: with few statistics a join would compare each
 * with all lines. `between`: so that an index without the order of the key costs a sort.
 */
const LINES_OF_PARCELS = PARCELS.statement<{
  id: string;
  marketplace: string;
  account_id: string;
  parcel: string;
  is_open: boolean;
}>(
  'warehouse-lines.of-parcels',
  (given) => `select locked.* from (
       select named.id from ${given} cross join lateral (
         select id from warehouse_lines
          where organization_id = $1 and marketplace = given.marketplace
            and account_id = given.account_id and parcel between given.parcel and given.parcel
          order by parcel limit 1) as named
        order by named.id) as wanted
     cross join lateral (
       select line.id, line.marketplace, line.account_id, line.parcel,
              line.in_transit_at is null and line.transferred_at is null and line.tracking_number is null
                and not exists (select from guide_attempts attempt
                                 where attempt.organization_id = $1 and attempt.line_id = line.id
                                   and (attempt.state in ('queued', 'sent', 'unknown')
                                     or (attempt.state = 'ok' and attempt.cancelled_at is null))) as is_open
         from warehouse_lines line
        where line.organization_id = $1 and line.id between wanted.id and wanted.id
        order by line.id for update of line) as locked`,
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
  const rows = await scope.prepared(LINES_OF_PARCELS, LINES_OF_PARCELS.values([], wanted));
  return new Map(
    rows.map((row) => [
      `${row.marketplace}\n${row.account_id}\n${row.parcel}`,
      { id: row.id, isOpen: row.is_open },
    ]),
  );
}
