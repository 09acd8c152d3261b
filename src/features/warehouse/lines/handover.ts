import type { ReadScope } from '../../../platform/db/database.ts';
import type { Instant } from '../../../platform/time.ts';
import { actionsOf } from '../actions.ts';
import type { Actor } from '../actor.ts';
import { leftWith } from './store-lines.ts';

interface Handover {
  readonly at: Instant;
  /** Null = the record of it is no longer kept. */
  readonly actor: Actor | null;
}

/** When the parcel with this number left the warehouse; null = not known to have left. */
export async function handoverOf(
  scope: ReadScope,
  trackingNumber: string,
): Promise<Handover | null> {
  const [line] = await leftWith(scope, [trackingNumber]);
  if (!line) return null;
  const actions = await actionsOf(scope, line.id);
  const transfer = actions.findLast(({ action }) => action === 'transfer');
  return { at: line.transferred_at, actor: transfer?.actor ?? null };
}

/** When the parcels that left the warehouse did so, by their numbers. */
export async function handoversOf(
  scope: ReadScope,
  trackingNumbers: readonly string[],
): Promise<ReadonlyMap<string, Instant>> {
  if (trackingNumbers.length === 0) return new Map();
  const lines = await leftWith(scope, trackingNumbers);
  return new Map(lines.map((line) => [line.tracking_number, line.transferred_at]));
}
