import { epochMicros, fromEpochMicros } from '../../platform/time.ts';
import type { OrderFilters } from './filters.ts';
import type { Position } from './store-page.ts';

/** As a cursor has it. */
export type PackedPosition = [number] | [number, string, string, string];

/** The position behind an order, given by its JSON. */
export function positionOf(lastJson: string, filters: OrderFilters): Position {
  const last = JSON.parse(lastJson) as Record<
    'date_created' | 'last_updated' | 'marketplace' | 'account_id' | 'id',
    string
  >;
  if (filters.updatedSince)
    return { order: 'updated', after: Temporal.Instant.from(last.last_updated) };
  return {
    order: 'created',
    newestFirst: -Temporal.Instant.from(last.date_created).epochMilliseconds,
    marketplace: last.marketplace,
    accountId: last.account_id,
    id: last.id,
  };
}

export function packPosition(position: Position): PackedPosition {
  return position.order === 'updated'
    ? [epochMicros(position.after)]
    : [position.newestFirst, position.marketplace, position.accountId, position.id];
}

export function unpackPosition(packed: PackedPosition): Position {
  if (packed.length === 1) return { order: 'updated', after: fromEpochMicros(packed[0]) };
  const [newestFirst, marketplace, accountId, id] = packed;
  return { order: 'created', newestFirst, marketplace, accountId, id };
}
