import type { WriteScope } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import { type OrderChange, orderKey } from '../../orders/index.ts';
import { noteActions } from '../actions.ts';
import { THE_INSTANCE } from '../actor.ts';
import type { Line } from './line.ts';
import { nameOf, type Parcel, parcelApart, parcelOf } from './parcel-of.ts';
import * as store from './store-lines.ts';
import { linesOfParcels, moveOrder, namePack, renameLine } from './store-parcels.ts';

/** An order whose pack changed at its marketplace. */
interface Move {
  readonly order: store.OrderKey;
  readonly from: Parcel;
  readonly to: Parcel;
  /** Where it goes while its new pack takes no further order. */
  readonly apart: Parcel;
}

/** The lines of the parcels that moves are about, as they become. */
interface Places {
  /** The open line of each parcel, by the parcel's name. */
  readonly lineOf: Map<string, string>;
  /** Parcels whose line keeps its orders, and takes none. */
  readonly closed: ReadonlySet<string>;
  /** Lines with an address. */
  readonly addressed: Set<string>;
}

/**
 * Orders whose pack changed go to the line of the pack that they have now, with the address of the
 * line that they leave where the other has none. A line that is documented, in transit or
 * transferred keeps its orders, and takes no further one.
 * @returns the lines that orders left
 */
export async function repackOrders(
  scope: WriteScope,
  changes: readonly OrderChange[],
): Promise<readonly string[]> {
  const moves = changes.flatMap(movesOf);
  if (moves.length === 0) return [];
  // Before the lines: a transaction that writes one and makes the key would wait for this one.
  await scope.vault();
  const orders = moves.map(({ order }) => order);
  const lineOf = await store.linesOfOrders(scope, orders);
  const { lines, places } = await openPlaces(scope, moves);
  const byParcel = Map.groupBy(moves, (move) => nameOf(placeOf(places, move)));
  const left: { lineId: string; details: { order_id: string } }[] = [];
  for (const move of moves) {
    const lineId = lineOf.get(orderKey(move.order));
    if (lineId === undefined) continue;
    const source = lines.get(lineId);
    const parcel = placeOf(places, move);
    const name = nameOf(parcel);
    if (!source || places.closed.has(name) || places.lineOf.get(name) === lineId) {
      await namePack(scope, lineId, move.to.packId);
      continue;
    }
    if (!places.lineOf.has(name) && areAll(source, byParcel.get(name) ?? [])) {
      await rename(scope, places, source, parcel);
      continue;
    }
    await moveTo(scope, places, { order: move.order, source, parcel });
    left.push({ lineId: source.id, details: { order_id: move.order.id } });
  }
  await noteActions(scope, THE_INSTANCE, 'order_left_pack', left);
  return left.map(({ lineId }) => lineId);
}

/** Locked. */
async function openPlaces(
  scope: WriteScope,
  moves: readonly Move[],
): Promise<{ lines: ReadonlyMap<string, Line>; places: Places }> {
  const parcels = moves.flatMap(({ from, to, apart }) => [from, to, apart]);
  const named = new Map(parcels.map((parcel) => [nameOf(parcel), parcel]));
  const known = [...(await linesOfParcels(scope, [...named.values()]))];
  const open = known.filter(([, { isOpen }]) => isOpen);
  const ids = new Set(open.map(([, { id }]) => id));
  const lines = await store.lockLines(scope, [...ids]);
  return {
    lines: new Map(lines.map((line) => [line.id, line])),
    places: {
      lineOf: new Map(open.map(([name, { id }]) => [name, id])),
      closed: new Set(known.flatMap(([name, { isOpen }]) => (isOpen ? [] : name))),
      addressed: new Set(lines.flatMap(({ id, destination }) => (destination ? id : []))),
    },
  };
}

function placeOf({ closed }: Places, { to, apart }: Move): Parcel {
  return closed.has(nameOf(to)) ? apart : to;
}

/** All orders of the line go to a parcel without a line. */
async function rename(
  scope: WriteScope,
  { lineOf }: Places,
  { id }: Line,
  parcel: Parcel,
): Promise<void> {
  await renameLine(scope, id, parcel);
  for (const [name, lineId] of lineOf) if (lineId === id) lineOf.delete(name);
  lineOf.set(nameOf(parcel), id);
}

async function moveTo(
  scope: WriteScope,
  { lineOf, addressed }: Places,
  { order, source, parcel }: { order: store.OrderKey; source: Line; parcel: Parcel },
): Promise<void> {
  const target = lineOf.get(nameOf(parcel)) ?? (await newLine(scope, parcel));
  lineOf.set(nameOf(parcel), target);
  await moveOrder(scope, order, target);
  if (source.destination === null || addressed.has(target)) return;
  await store.setDestination(scope, target, source.destination);
  addressed.add(target);
}

function movesOf({ before, after }: OrderChange): Move[] {
  if (before === null) return [];
  const [from, to] = [parcelOf(before), parcelOf(after)];
  return from.parcel === to.parcel ? [] : [{ order: after, from, to, apart: parcelApart(after) }];
}

/** Whether no order of the line stays behind. */
function areAll({ orders }: Line, moves: readonly Move[]): boolean {
  const ids = new Set(moves.map(({ order }) => order.id));
  return orders.every(({ id }) => ids.has(id));
}

async function newLine(scope: WriteScope, parcel: Parcel): Promise<string> {
  const id = newId();
  await store.insertLines(scope, [{ ...parcel, id }], scope.clock.now());
  await noteActions(scope, THE_INSTANCE, 'stage', [{ lineId: id, details: {} }]);
  return id;
}
