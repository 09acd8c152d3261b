import { MARKETPLACE_SHIPS } from '../../../connectors/contract.ts';
import { findConnector } from '../../../connectors/registry.ts';
import { together, type WriteScope } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import { inTable } from '../../../platform/word-table.ts';
import {
  type OrderChange,
  type OrderListener,
  orderKey,
  type PublicOrder,
} from '../../orders/index.ts';
import { noteActions } from '../actions.ts';
import { THE_INSTANCE } from '../actor.ts';
import { isReady, type Line, stateOf } from './line.ts';
import { nameOf, parcelApart, parcelOf } from './parcel-of.ts';
import { repackOrders } from './repack-orders.ts';
import * as store from './store-lines.ts';
import { linesOfParcels } from './store-parcels.ts';
import { updateUnwantedAlert } from './unwanted.ts';

/** Test orders, and orders that the marketplace ships itself. */
const NOT_STAGED: ReadonlySet<string> = new Set(['test_order', MARKETPLACE_SHIPS]);

/**
 * Puts paid orders into preparation, and updates lines by the changes of their orders; in their
 * transaction.
 */
export const stageOrders: OrderListener = async (scope, changes) => {
  const orders = changes.filter(mayConcern).map(({ after }) => after);
  if (orders.length === 0) return;
  const wanted = orders.filter(isStaged);
  const left = await repackOrders(
    scope,
    changes.filter(({ after }) => isStaged(after)),
  );
  const [lineOf, known] = await together([
    store.linesOfOrders(scope, orders),
    linesOfParcels(scope, wanted.map(parcelOf)),
  ] as const);
  const fresh = wanted.filter((order) => !lineOf.has(orderKey(order)));
  const { placed, lines } = placeAll(fresh, known);
  const kept = orders.flatMap((order) => {
    const lineId = lineOf.get(orderKey(order)) ?? placed.get(orderKey(order));
    return lineId === undefined ? [] : [placedOrder(order, lineId)];
  });
  if (kept.length === 0) return;
  const ids = [...new Set([...left, ...kept.map(({ lineId }) => lineId)])];
  const staged = lines.map(({ id }) => ({ lineId: id, details: {} }));
  const [, , , locked] = await together([
    store.insertLines(scope, lines, scope.clock.now()),
    noteActions(scope, THE_INSTANCE, 'stage', staged),
    store.placeOrders(scope, kept),
    store.lockLines(scope, ids),
  ] as const);
  await updateStates(scope, locked, changes);
};

/** Most orders of a first import were delivered long ago. */
function mayConcern({ before, after }: OrderChange): boolean {
  return before !== null || isReady(after.status);
}

function isStaged({ marketplace, status, tags }: PublicOrder): boolean {
  const { copiedFrom = {} } = findConnector(marketplace)?.facts ?? {};
  const isNotOurs = (tag: string) => NOT_STAGED.has(tag) || inTable(copiedFrom, tag) !== undefined;
  return isReady(status) && !tags.some(isNotOurs);
}

/**
 * Finds a parcel for each order, among the lines that there are, by `nameOf`.
 * @returns the line of each order, and those of them that are new
 */
function placeAll(
  orders: readonly PublicOrder[],
  known: Awaited<ReturnType<typeof linesOfParcels>>,
): { placed: ReadonlyMap<string, string>; lines: readonly store.NewLine[] } {
  const placed = new Map<string, string>();
  const lines = new Map<string, store.NewLine>();
  for (const order of orders) {
    const wanted = parcelOf(order);
    const there = known.get(nameOf(wanted));
    // An order that arrives after its pack was documented gets its own parcel.
    const parcel = there && !there.isOpen ? parcelApart(order) : wanted;
    const name = nameOf(parcel);
    const id = (there?.isOpen && there.id) || lines.get(name)?.id || newId();
    if (!there?.isOpen) lines.set(name, { ...parcel, id });
    placed.set(orderKey(order), id);
  }
  return { placed, lines: [...lines.values()] };
}

/** Updates lines by their orders, and raises alerts for changes that people must know of. */
async function updateStates(
  scope: WriteScope,
  lines: readonly Line[],
  changes: readonly OrderChange[],
): Promise<void> {
  const changed = lines
    .map((line) => ({ line, state: stateOf(line) }))
    .filter(({ line, state }) => line.state !== state);
  await store.setStates(
    scope,
    changed.map(({ line, state }) => ({ id: line.id, state })),
    scope.clock.now(),
  );
  for (const [state, same] of Map.groupBy(changed, (change) => change.state))
    await noteActions(
      scope,
      THE_INSTANCE,
      `orders_made_${state}`,
      same.map(({ line }) => ({ lineId: line.id, details: { from: line.state } })),
    );
  const changeOf = new Map(changes.map((change) => [orderKey(change.after), change]));
  for (const line of lines) {
    const { marketplace, accountId } = line;
    const own = line.orders.flatMap(
      ({ id }) => changeOf.get(orderKey({ marketplace, accountId, id })) ?? [],
    );
    await updateUnwantedAlert(scope, line, own);
  }
}

function placedOrder(order: PublicOrder, lineId: string): store.PlacedOrder {
  const { marketplace, accountId, id, status, tags } = order;
  const items = order.items.map((item) => ({
    id: item.id,
    sku: item.sku,
    title: item.title,
    quantity: item.quantity - item.cancelledQuantity,
  }));
  return { marketplace, accountId, id, lineId, status, items, tags };
}
