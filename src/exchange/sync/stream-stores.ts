import type { Carrier, SourceShipment } from '../../carriers/contract.ts';
import { type ConnectedService, findCarrier } from '../../carriers/registry.ts';
import { bounded } from '../../connectors/bounds.ts';
import type {
  Call,
  Marketplace,
  SourceBalance,
  SourceInvoice,
  SourceOrder,
  SourceSettlement,
  SourceStock,
  Stream,
  StreamName,
  Window,
} from '../../connectors/contract.ts';
import { recordBalances, recordSettlements } from '../../features/balances/index.ts';
import { recordInvoices } from '../../features/cfdi/index.ts';
import {
  countSetAside,
  leftAmong,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { markGone, recordStock } from '../../features/inventory/index.ts';
import {
  deliveredOrders,
  type OrderListener,
  openOrders,
  recordOrders,
} from '../../features/orders/index.ts';
import {
  linkOrphans,
  openShipments,
  quietShipments,
  recordShipments,
  recordTraced,
  shipmentStates,
} from '../../features/shipments/index.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant, latest } from '../../platform/time.ts';
import { DisconnectedDuringSync } from '../wire/errors.ts';

/** Whose items they are and what brought them. */
export interface Origin {
  readonly connection: SealedConnection;
  /** A backfill: customers are not told. */
  readonly isFirstImport: boolean;
  /** When the pass began, or the thing was fetched. */
  readonly startedAt: Instant;
}

interface AskedOpen {
  readonly isReconciliation: boolean;
  /** In order of id. */
  readonly after: string | null;
  readonly limit: number;
  /** The delivered ones of that time of creation instead. */
  readonly delivered?: { readonly from: Instant; readonly to: Instant };
}

/** What follows from what is kept. */
export interface StoreParts {
  /** What happens because orders changed. */
  readonly orderListeners: readonly OrderListener[];
  /** What customers are told; left out during a connection's first import. */
  readonly announce: OrderListener;
}

/** How a stream's items are kept; everything else about streams is the same for all. */
export interface StreamStore<Item> {
  /** Stores items with all that follows from them. @returns how many were new or different */
  keep(
    parts: StoreParts,
    scope: WriteScope,
    items: readonly Item[],
    origin: Origin,
  ): Promise<number>;
  /** Tells an item from the others of its stream, so that a page that repeats is noticed. */
  nameOf(item: Item): string;
  /** How far a page brings the watermark; null = nowhere, so that every pass reads the whole. */
  reached(items: readonly Item[], window: Window): Instant | null;
  /**
   * Stored things that may still change, as a pass is told of them: it may sweep, or look at fewer.
   */
  open?(scope: ReadScope, connection: SealedConnection, asked: AskedOpen): Promise<string[]>;
  /** The native states stored under these ids. */
  states?(
    scope: ReadScope,
    connection: SealedConnection,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** What a finished pass says beyond its pages. @returns how many things it changed */
  finish?(parts: StoreParts, scope: WriteScope, origin: Origin, window: Window): Promise<number>;
  /** Whether a refusal concerns the whole connection; others stop alone, and the orders go on. */
  readonly isVital: boolean;
  /** In Spanish, to begin a sentence with. */
  readonly title: string;
}

/** Of a parcel about which a push came in this time nobody is asked, unless the pass sweeps. */
const QUIET = { hours: 1 };

const KEEPING: {
  readonly orders: StreamStore<SourceOrder>;
  readonly inventory: StreamStore<SourceStock>;
  readonly balances: StreamStore<SourceBalance>;
  readonly settlements: StreamStore<SourceSettlement>;
  readonly invoices: StreamStore<SourceInvoice>;
  readonly shipments: StreamStore<SourceShipment>;
} = {
  orders: {
    async keep(parts, scope, orders, origin) {
      const [changed = 0] = await storeOrders(parts, scope, [{ orders, origin }]);
      return changed;
    },
    nameOf: ({ id }) => id,
    reached: (orders) => latest(...orders.map(({ changedAt }) => changedAt)),
    async open(scope, connection, { isReconciliation, after, limit, delivered }) {
      if (!isReconciliation) return [];
      return delivered
        ? deliveredOrders(scope, sourceOf(connection), delivered, after, limit)
        : openOrders(scope, connection.id, after, limit);
    },
    isVital: true,
    title: 'Órdenes',
  },
  inventory: {
    keep: (_, scope, levels, { connection, isFirstImport, startedAt }) =>
      recordStock(scope, sourceOf(connection), levels, {
        seenAt: startedAt,
        announce: !isFirstImport,
      }),
    nameOf: ({ itemId, variationId, warehouse }) => `${itemId} ${variationId} ${warehouse}`,
    reached: () => null,
    finish: finishInventory,
    isVital: false,
    title: 'Inventario',
  },
  balances: {
    keep: (_, scope, balances, { connection, isFirstImport }) =>
      recordBalances(scope, serviceOf(connection), balances, { announce: !isFirstImport }),
    nameOf: ({ purse, currency }) => `${purse} ${currency}`,
    reached: (balances) => latest(...balances.map(({ asOf }) => asOf)),
    isVital: false,
    title: 'Saldos',
  },
  settlements: {
    keep: (_, scope, settlements, { connection }) =>
      recordSettlements(scope, sourceOf(connection), settlements),
    nameOf: ({ id }) => id,
    reached: (settlements) => latest(...settlements.map(({ changedAt }) => changedAt)),
    isVital: false,
    title: 'Liquidaciones',
  },
  invoices: {
    keep: (_, scope, invoices, { connection }) =>
      recordInvoices(scope, sourceOf(connection), invoices),
    nameOf: ({ id }) => id,
    // Documents tell no time of change; the stream's overlap is the time that sellers take to add
    // them.
    reached: (_, window) => window.to,
    isVital: false,
    title: 'Facturas',
  },
  shipments: {
    keep(parts, scope, shipments, { connection, isFirstImport }) {
      const record = isPushed(connection) ? recordTraced : recordShipments;
      return record(scope, carrierOf(connection), shipments, followUpOf(parts, isFirstImport));
    },
    nameOf: ({ id }) => id,
    // A pass looks at all that may have changed; the stream's overlap says how old a parcel is of
    // which nothing comes.
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
    isVital: true,
    title: 'Envíos',
  },
};

/**
 * Orders of several connections at once, all of them in their first imports or none.
 * @returns how many were new or different, of each
 */
export async function storeOrders(
  parts: StoreParts,
  scope: WriteScope,
  pages: readonly { readonly orders: readonly SourceOrder[]; readonly origin: Origin }[],
): Promise<number[]> {
  const owned = pages.flatMap(({ orders, origin: { connection } }) =>
    orders.map((order) => ({ ...order, ...sourceOf(connection), changedAt: knownChange(order) })),
  );
  const isFirstImport = pages.every(({ origin }) => origin.isFirstImport);
  const { which } = await recordOrders(scope, owned, followUpOf(parts, isFirstImport).listeners);
  const changed = Map.groupBy(which, accountKey);
  return pages.map(
    ({ origin }) => changed.get(accountKey(sourceOf(origin.connection)))?.length ?? 0,
  );
}

/**
 * Nothing more is stored of an account that was disconnected while somebody still asked for it.
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

export function streamStoreOf(name: StreamName): StreamStore<unknown> {
  return KEEPING[name] as StreamStore<unknown>;
}

/**
 * What it gives is within bounds, or set aside. @returns null where the service does not offer it
 */
export function streamOf(
  connector: ConnectedService,
  name: StreamName,
): Stream<unknown, unknown> | null {
  const stream = connector[name] as Stream<unknown, unknown> | undefined;
  if (!stream) return null;
  const { page, one } = stream;
  return {
    ...stream,
    async page(call, pass) {
      const found = await page(call, pass);
      return { ...found, items: found.items.map(bounded) };
    },
    ...(one && {
      one: async (call: Call<unknown>, id: string) => (await one(call, id)).map(bounded),
    }),
  };
}

/**
 * What changed after we began to ask may be only half of the answer, and a clock that runs ahead
 * would hold off every later change: neither makes a version newer than its fetch.
 */
function knownChange({ changedAt, fetchedAt }: SourceOrder): Instant | null {
  return changedAt && compareInstants(changedAt, fetchedAt) > 0 ? fetchedAt : changedAt;
}

/**
 * A level that a whole pass did not see is gone; a pass with gaps says nothing about what it left
 * out.
 */
async function finishInventory(
  _: StoreParts,
  scope: WriteScope,
  { connection, isFirstImport, startedAt }: Origin,
  { from }: Window,
): Promise<number> {
  if (from !== null) return 0;
  const gaps = await countSetAside(scope, connection.id, 'inventory', startedAt);
  return gaps > 0
    ? 0
    : markGone(scope, sourceOf(connection), startedAt, { announce: !isFirstImport });
}

function serviceOf({ service, accountId, id }: SealedConnection) {
  return { service, accountId, connectionId: id };
}

/** Only marketplaces offer what is kept with this. */
function sourceOf({ service, accountId, id }: SealedConnection) {
  return { marketplace: service as Marketplace, accountId, connectionId: id };
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

/**
 * Whether the carrier tells every event of a parcel by itself, so that readings are only a safety
 * net.
 */
function isPushed({ service }: SealedConnection): boolean {
  return findCarrier(service as Carrier)?.standingOf !== undefined;
}

/** What follows from shipments that changed; a first import is no news. */
export function followUpOf({ orderListeners, announce }: StoreParts, isFirstImport: boolean) {
  return {
    announce: !isFirstImport,
    listeners: isFirstImport ? orderListeners : [...orderListeners, announce],
  };
}

/** Only carriers do. */
function carrierOf({ service, accountId, id }: SealedConnection) {
  return { carrier: service as Carrier, accountId, connectionId: id };
}
