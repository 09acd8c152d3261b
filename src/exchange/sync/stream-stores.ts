import type { Carrier, SourceShipment } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import {
  isBillingData,
  isInvoice,
  type Marketplace,
  type SourceBalance,
  type SourceFiscal,
  type SourceMoney,
  type SourceOrder,
  type SourceStock,
  type StreamName,
  type Window,
} from '../../connectors/contract.ts';
import { recordBalances } from '../../features/balances/index.ts';
import { billingDataStates, recordBillingData, recordInvoices } from '../../features/cfdi/index.ts';
import {
  countSetAside,
  leftAmong,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { markGone, recordStock } from '../../features/inventory/index.ts';
import {
  deliveredOrders,
  openOrders,
  recordOrders,
  sentOrders,
} from '../../features/orders/index.ts';
import {
  linkOrphans,
  openShipments,
  quietShipments,
  recordShipments,
  recordTraced,
  shipmentStates,
} from '../../features/shipments/index.ts';
import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant, latest } from '../../platform/time.ts';
import { DisconnectedDuringSync } from '../wire/errors.ts';
import { type FinishedRun, finishOrders, followOrders } from './follow-orders.ts';
import { followUpOf, type StoreParts } from './follow-up.ts';
import type { Origin } from './origin.ts';
import { type FollowParts, followMoney, storeMoney } from './store-money.ts';

interface Batch<Item> {
  readonly items: readonly Item[];
  readonly origin: Origin;
}

export interface OpenQuery {
  readonly isReconciliation: boolean;
  /** In order of id. */
  readonly after: string | null;
  readonly limit: number;
  /** Asks for the delivered orders that were created in this time instead. */
  readonly delivered?: { readonly from: Instant; readonly to: Instant };
}

/** How the items of a stream are stored; the rest of a sync run is the same for all streams. */
interface StreamStore<Item> {
  /**
   * Stores items with their follow-up; all batches are of first imports, or none is.
   * @returns how many items of each batch were new or different
   */
  store(
    parts: StoreParts,
    scope: WriteScope,
    batches: readonly Batch<Item>[],
  ): Promise<readonly number[]>;
  /** Identifies an item within its stream, so that a page that repeats is noticed. */
  nameOf(item: Item): string;
  /** The watermark after a page; null = none, so that each sync run reads everything. */
  reached(items: readonly Item[], window: Window): Instant | null;
  /** Each sync run shows everything, whatever its window. */
  readonly showsAll?: true;
  /** Ids of stored things that may still change; fewer where the run is no reconciliation. */
  open?(scope: ReadScope, connection: SealedConnection, query: OpenQuery): Promise<string[]>;
  /** The native states stored under these ids. */
  states?(
    scope: ReadScope,
    connection: SealedConnection,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** Applies what a finished sync run shows beyond its pages. @returns how many things changed */
  finish?(parts: StoreParts, scope: WriteScope, origin: Origin, run: FinishedRun): Promise<number>;
  /** Work after a finished sync run, in transactions of its own; it may be cut off. */
  follow?(parts: FollowParts, origin: Origin, run: FinishedRun): Promise<void>;
}

/** A shipment that had a webhook within this period is not polled, except in a reconciliation. */
const QUIET = { hours: 1 };

const STORES: {
  readonly orders: StreamStore<SourceOrder>;
  readonly inventory: StreamStore<SourceStock>;
  readonly balances: StreamStore<SourceBalance>;
  readonly settlements: StreamStore<SourceMoney>;
  readonly invoices: StreamStore<SourceFiscal>;
  readonly shipments: StreamStore<SourceShipment>;
} = {
  orders: {
    store: storeOrders,
    nameOf: ({ id }) => id,
    reached: (orders) => latest(...orders.map(({ changedAt }) => changedAt)),
    async open(scope, connection, { isReconciliation, after, limit, delivered }) {
      if (!isReconciliation) return [];
      return delivered
        ? deliveredOrders(scope, sourceOf(connection), delivered, after, limit)
        : openOrders(scope, connection.id, after, limit);
    },
    finish: (_, scope, origin, run) => finishOrders(scope, origin, run),
    follow: followOrders,
  },
  inventory: {
    store: batchByBatch((_, scope, levels, { connection, isFirstImport, askedAt }) =>
      recordStock(scope, sourceOf(connection), levels, {
        seenAt: askedAt,
        announce: !isFirstImport,
      }),
    ),
    nameOf: ({ itemId, variationId, warehouse }) => `${itemId} ${variationId} ${warehouse}`,
    reached: () => null,
    finish: finishInventory,
  },
  balances: {
    store: batchByBatch((_, scope, balances, { connection, isFirstImport }) =>
      recordBalances(scope, serviceOf(connection), balances, { announce: !isFirstImport }),
    ),
    nameOf: ({ purse, currency }) => `${purse} ${currency}`,
    reached: (balances) => latest(...balances.map(({ asOf }) => asOf)),
    showsAll: true,
  },
  settlements: {
    store: batchByBatch((_, scope, items, { connection, isFirstImport }) =>
      storeMoney(scope, sourceOf(connection), items, { announce: !isFirstImport }),
    ),
    nameOf: ({ id }) => id,
    reached: (items) => latest(...items.map(({ changedAt }) => changedAt)),
    follow: followMoney,
  },
  invoices: {
    store: batchByBatch(async (_, scope, items, { connection }) => {
      const source = sourceOf(connection);
      const given = await recordBillingData(scope, source, items.filter(isBillingData));
      return given + (await recordInvoices(scope, source, items.filter(isInvoice)));
    }),
    states: (scope, connection, ids) => billingDataStates(scope, sourceOf(connection), ids),
    async open(scope, connection, { after, limit, delivered }) {
      return delivered ? sentOrders(scope, sourceOf(connection), delivered, after, limit) : [];
    },
    nameOf: (item) => (isBillingData(item) ? `billing ${item.orderId}` : item.id),
    // Documents have no time of change. The stream's overlap is how long sellers take to add them.
    reached: (_, window) => window.to,
  },
  shipments: {
    store: batchByBatch((parts, scope, shipments, { connection, isFirstImport }) => {
      const record = isPushed(connection) ? recordTraced : recordShipments;
      return record(scope, carrierOf(connection), shipments, followUpOf(parts, isFirstImport));
    }),
    nameOf: ({ id }) => id,
    // A sync run looks at everything that may have changed. The stream's overlap is the largest age
    // of a shipment without news.
    reached: (_, window) => window.to,
    open: (scope, connection, { isReconciliation, after, limit }) =>
      isReconciliation || !isPushed(connection)
        ? openShipments(scope, connection.id, after, limit)
        : quietShipments(scope, connection.id, scope.clock.now().subtract(QUIET), after, limit),
    finish: (parts, scope, { connection, isFirstImport }) =>
      isPushed(connection)
        ? linkOrphans(scope, carrierOf(connection).carrier, followUpOf(parts, isFirstImport))
        : Promise.resolve(0),
    states: (scope, connection, ids) => shipmentStates(scope, carrierOf(connection), ids),
  },
};

export function streamStoreOf(name: StreamName): StreamStore<unknown> {
  return STORES[name] as StreamStore<unknown>;
}

/**
 * Stores items of one stream in a transaction, one batch a connection.
 * @returns how many items of each batch were new or different
 * @throws DisconnectedDuringSync
 */
export async function storeBatches(
  parts: StoreParts,
  scope: WriteScope,
  name: StreamName,
  batches: readonly Batch<unknown>[],
): Promise<readonly number[]> {
  const connections = batches.map(({ origin }) => origin.connection);
  // Each transaction locks the connections before the delta clock.
  const [, changed] = await together([
    assertConnected(scope, connections),
    streamStoreOf(name).store(parts, scope, batches),
  ]);
  return changed;
}

/**
 * Locks connections against disconnecting until the transaction ends.
 * @throws DisconnectedDuringSync
 */
export async function assertConnected(
  scope: WriteScope,
  connections: readonly SealedConnection[],
): Promise<void> {
  const left = await leftAmong(
    scope,
    connections.map(({ id }) => id),
  );
  const one = connections.find(({ id }) => left.includes(id));
  if (one) throw new DisconnectedDuringSync(one.service);
}

function batchByBatch<Item>(
  store: (
    parts: StoreParts,
    scope: WriteScope,
    items: readonly Item[],
    origin: Origin,
  ) => Promise<number>,
): StreamStore<Item>['store'] {
  return async (parts, scope, batches) => {
    const changed: number[] = [];
    for (const { items, origin } of batches) changed.push(await store(parts, scope, items, origin));
    return changed;
  };
}

/** Records the orders of all batches together: one comparison, and one lock of the delta clock. */
async function storeOrders(
  parts: StoreParts,
  scope: WriteScope,
  batches: readonly Batch<SourceOrder>[],
): Promise<readonly number[]> {
  const owned = batches.flatMap(({ items, origin: { connection } }) =>
    items.map((order) => ({ ...order, ...sourceOf(connection), changedAt: knownChange(order) })),
  );
  const isFirstImport = batches.every(({ origin }) => origin.isFirstImport);
  const { which } = await recordOrders(scope, owned, followUpOf(parts, isFirstImport).listeners);
  const changed = Map.groupBy(which, accountKey);
  return batches.map(
    ({ origin }) => changed.get(accountKey(sourceOf(origin.connection)))?.length ?? 0,
  );
}

/**
 * No version is newer than the beginning of its fetch: the answer may hold only half of a later
 * change, and the marketplace's clock may run ahead.
 */
function knownChange({ changedAt, fetchedAt }: SourceOrder): Instant | null {
  return changedAt && compareInstants(changedAt, fetchedAt) > 0 ? fetchedAt : changedAt;
}

/**
 * A level that a whole sync run did not show is gone. A run with rows set aside does not show what
 * is gone.
 */
async function finishInventory(
  _: StoreParts,
  scope: WriteScope,
  { connection, isFirstImport, startedAt }: Origin,
  { from }: FinishedRun,
): Promise<number> {
  if (from !== null) return 0;
  const setAside = await countSetAside(scope, connection.id, 'inventory', startedAt);
  return setAside > 0
    ? 0
    : markGone(scope, sourceOf(connection), startedAt, { announce: !isFirstImport });
}

function serviceOf({ service, accountId, id }: SealedConnection) {
  return { service, accountId, connectionId: id };
}

/** For streams that only marketplaces offer. */
function sourceOf({ service, accountId, id }: SealedConnection) {
  return { marketplace: service as Marketplace, accountId, connectionId: id };
}

/** For streams that only carriers offer. */
function carrierOf({ service, accountId, id }: SealedConnection) {
  return { carrier: service as Carrier, accountId, connectionId: id };
}

function accountKey({
  marketplace,
  accountId,
}: {
  marketplace: string;
  accountId: string;
}): string {
  return `${marketplace} ${accountId}`;
}

/** Whether the carrier sends a webhook for each event, so that polling only fills gaps. */
function isPushed({ service }: SealedConnection): boolean {
  return findCarrier(service as Carrier)?.standingOf !== undefined;
}
