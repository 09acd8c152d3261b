import assert from 'node:assert/strict';
import { accountOf as accountAt, type Order } from '../../simulators/order.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { accessJob } from '../../src/exchange/jobs/access.ts';
import { syncJob } from '../../src/exchange/jobs/sync.ts';
import type { ExchangeParts } from '../../src/exchange/parts.ts';
import { type RunOptions, runStream } from '../../src/exchange/sync/run-stream.ts';
import { applyNotification } from '../../src/exchange/webhooks/apply-notification.ts';
import {
  connectionById,
  loadStream,
  type SealedConnection,
  type StreamProgress,
} from '../../src/features/connections/index.ts';
import { dueAt } from '../../src/features/schedules/index.ts';
import { createThrottle } from '../../src/platform/throttle.ts';
import type { TestApp } from './app.ts';
import type { TurnedClock } from './clock.ts';
import { liveThrough } from './lives.ts';
import { type Allowed, type ApiOrder, assertReported } from './reported-orders.ts';
import { type Reported, reportedOf, type Shop, type Stand } from './stand.ts';

/** An organisation of the instance that is connected to a shop of the stand, and the doors to both. */
export interface Stage {
  readonly stand: Stand;
  readonly shop: Shop;
  readonly clock: TurnedClock;
  readonly parts: ExchangeParts;
  readonly organizationId: string;
  readonly connectionId: string;
  /** Turns the clock, then does what is done when the orders of the connection are due. */
  tick(parts?: ExchangeParts, after?: Temporal.DurationLike): Promise<void>;
  /** Five minutes later the schedule tries a refused access again. */
  retryAccess(parts?: ExchangeParts): Promise<void>;
  /**
   * Ticks until no pass is under way, the first of which also asks about the orders that may still
   * change.
   */
  reconcile(parts?: ExchangeParts): Promise<void>;
  /** Walks the orders at once, page by page. @throws UpstreamError */
  walk(options?: Partial<RunOptions> & { parts?: ExchangeParts }): Promise<void>;
  /** Another process reads one order again, because a webhook named it. */
  hint(order: Order, parts?: ExchangeParts, name?: string): Promise<void>;
  /** The names under which webhooks name an order. */
  hints(order: Order): readonly [string, ...string[]];
  /** The same account again, as a seller would who was asked to. */
  reconnect(credentials: unknown): Promise<void>;
  connection(): Promise<SealedConnection>;
  progress(): Promise<StreamProgress>;
  unreadable(): Promise<{ external_id: string | null; reason: string }[]>;
  alerts(kind: string): Promise<{ subject: string; message: string; resolved_at: unknown }[]>;
  /** All orders of the API, or those that a filter leaves. */
  orders(query?: Record<string, string>): Promise<ApiOrder[]>;
  // biome-ignore lint/suspicious/noExplicitAny: answers that the contract is held against
  order(id: string): Promise<any>;
  /** What the API must say of an order now. */
  truth(order: Order): Reported;
  /** The same, and what some of its fields may read instead. */
  allowed(order: Order): Allowed;
  /** Asserts that the API says of every order what the simulator's own account says. */
  holdToAccount(message?: string): Promise<void>;
}

const MOST_TICKS = 80;
const MOST_SLICES = 1_000;
const SHORT_PAUSE_MS = 60_000;

/**
 * A shop that has had orders for weeks, in every state of life, of which nothing happens by itself.
 */
export async function openStage(
  instance: TestApp,
  stand: Stand,
  given: { seed: string; orders: number; limited?: boolean },
): Promise<Stage> {
  const shop = await openShop(instance, stand, given);
  try {
    return await join(instance, stand, shop);
  } catch (error) {
    // An open server would keep the test process from ending.
    await shop.close();
    throw error;
  }
}

export async function openShop(
  { clock }: TestApp,
  stand: Stand,
  { seed, orders, limited = false }: { seed: string; orders: number; limited?: boolean },
): Promise<Shop> {
  const shop = await stand.start({ seed, now: () => clock.now().epochMilliseconds, limited });
  liveThrough(shop, clock, orders);
  return shop;
}

/**
 * The stage goes on with a run that was cut short by itself: a worker that did so, too, would meet
 * it.
 */
function withoutSlicesInQueue(parts: ExchangeParts): ExchangeParts {
  const { queue } = parts;
  return {
    ...parts,
    queue: {
      ...queue,
      enqueue: async (handle, kind, job) =>
        kind.name === syncJob.name ? null : queue.enqueue(handle, kind, job),
    },
  };
}

/** Connects a new organisation to the shop; nothing is walked yet. */
export async function join(instance: TestApp, stand: Stand, shop: Shop): Promise<Stage> {
  const { clock } = instance;
  const { organization, key } = await instance.tenant('experto');
  const organizationId = organization.id;
  const parts = withoutSlicesInQueue(instance.app.exchange);
  const connectWith = async (credentials: unknown) =>
    connect(parts, { organizationId, service: stand.marketplace, credentials, baseUrl: shop.url });
  const { connectionId } = await connectWith(shop.credentials());

  const orders = (query: Record<string, string> = {}) => ordersAt(instance, key, query);
  const account = accountOf(stand, shop, clock);

  return {
    stand,
    shop,
    clock,
    parts,
    organizationId,
    connectionId,
    ...runsOf({ clock, parts, organizationId, connectionId }),
    async hint(order, with_ = parts, id = account.hints(order)[0]) {
      const elsewhere = { ...with_, throttle: createThrottle(clock) };
      await applyNotification(elsewhere, {
        organizationId,
        connectionId,
        hint: { stream: 'orders', id },
      });
    },
    async reconnect(credentials) {
      assert.equal((await connectWith(credentials)).connectionId, connectionId);
    },
    ...problemsOf(parts.database.within(organizationId)),
    orders,
    order: async (id) => (await instance.api(`/v1/orders/${id}`, {}, { key })).body.data,
    ...account,
    async holdToAccount(message = 'the API says what the account says') {
      const at = clock.now().epochMilliseconds;
      const had = await orders();
      const ids = new Set(had.map(({ id }) => id));
      const must = shop.world
        .orders()
        .map((order) => ({
          allowed: account.allowed(order),
          mayLack: stand.hides?.(order, at) ?? false,
        }))
        .filter(({ allowed: [reported], mayLack }) => !mayLack || ids.has(reported.id))
        .map(({ allowed }) => allowed);
      assertReported(had, must, message);
    },
  };
}

type Runs = 'tick' | 'retryAccess' | 'reconcile' | 'walk' | 'connection' | 'progress';

/** The sync runs of the orders of a connection, and what is stored of them. */
function runsOf({
  clock,
  parts,
  organizationId,
  connectionId,
}: Pick<Stage, 'clock' | 'parts' | 'organizationId' | 'connectionId'>): Pick<Stage, Runs> {
  const within = parts.database.within(organizationId);
  const connection = async () =>
    (await within.read((scope) => connectionById(scope, connectionId))) as SealedConnection;
  const progress = () => within.read((scope) => loadStream(scope, connectionId, 'orders'));
  const subject = `${connectionId}:orders`;
  const run = async (with_: ExchangeParts) =>
    (await syncJob.run(with_, { organizationId, subject })) as { isCut: boolean } | null;
  /** Slice after slice, and after the short pauses that a limit asks for. */
  const tick = async (with_ = parts, after: Temporal.DurationLike = { minutes: 5 }) => {
    clock.advance(after);
    for (let slice = 0; slice < MOST_SLICES; slice++) {
      const report = await run(with_);
      if (report?.isCut) continue;
      const due = report ? null : await within.read((scope) => dueAt(scope, 'sync', subject));
      const wait = due ? clock.now().until(due).total('milliseconds') : 0;
      if (wait <= 0 || wait > SHORT_PAUSE_MS || (await connection()).state !== 'ok') return;
      clock.advance({ milliseconds: Math.ceil(wait) });
    }
  };
  return {
    connection,
    progress,
    tick,
    async retryAccess(with_ = parts) {
      clock.advance({ minutes: 5 });
      await accessJob.run(with_, { organizationId, subject: connectionId });
    },
    async reconcile(with_ = parts) {
      await tick(with_);
      await tick(with_, { hours: 1, minutes: 5 });
      for (let ticks = 0; (await progress()).run && ticks < MOST_TICKS; ticks++) await tick(with_);
    },
    async walk({ parts: with_ = parts, ...options } = {}) {
      await runStream(with_, await connection(), 'orders', {
        reconcile: false,
        ifRunning: 'wait',
        ...options,
      });
    },
  };
}

/** All orders of the API that a filter leaves, page by page. */
async function ordersAt(
  instance: TestApp,
  key: string,
  query: Record<string, string>,
): Promise<ApiOrder[]> {
  const all: ApiOrder[] = [];
  for (let cursor: string | undefined; ; ) {
    const asked = { limit: 100, ...query, ...(cursor && { cursor }) };
    const { status, body } = await instance.api('/v1/orders', asked, { key });
    assert.equal(status, 200);
    all.push(...body.data);
    if (!body.pagination.has_more) return all;
    cursor = body.pagination.next_cursor;
  }
}

type Within = ReturnType<ExchangeParts['database']['within']>;

/** What was set aside or raised. */
function problemsOf(within: Within): Pick<Stage, 'unreadable' | 'alerts'> {
  return {
    unreadable: () =>
      within.read((scope) =>
        scope.rows(
          scope.select('unreadable_items').select(['external_id', 'reason']).orderBy('external_id'),
        ),
      ),
    alerts: (kind) =>
      within.read((scope) =>
        scope.rows(
          scope
            .select('alerts')
            .select(['subject', 'message', 'resolved_at'])
            .where('kind', '=', kind),
        ),
      ),
  };
}

/** What the shop's own account says of an order now. */
function accountOf(
  stand: Stand,
  shop: Shop,
  clock: TurnedClock,
): Pick<Stage, 'truth' | 'allowed' | 'hints'> {
  const truth = (order: Order) => {
    const at = clock.now().epochMilliseconds;
    return reportedOf(stand, order, accountAt(order, at), at);
  };

  const allowed = (order: Order): Allowed => {
    const reported = truth(order);
    return [reported, ...(stand.late?.(reported, order, clock.now().epochMilliseconds) ?? [])];
  };

  const hints = (order: Order) => {
    const reported = truth(order);
    return stand.hints?.(reported, order, shop) ?? ([reported.id] as const);
  };

  return { truth, allowed, hints };
}
