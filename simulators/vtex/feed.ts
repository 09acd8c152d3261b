/**
 * The feed: a queue per application key. What is not committed comes again, and nothing comes in
 * order.
 */
import type { Call, Reply, Routes } from '../http.ts';
import type { Change } from '../world.ts';
import { orderIdOf, statesOf, written } from './facts.ts';
import { refuse, type Shop } from './shop.ts';

export interface FeedConfig {
  readonly filter: {
    readonly type: string;
    readonly status?: readonly string[];
    readonly expression?: string;
  };
  readonly queue: {
    readonly visibilityTimeoutInSeconds: number;
    readonly MessageRetentionPeriodInSeconds: number;
  };
}

export interface Feed {
  /** Null = none, or deleted because nothing came for too long. */
  config(): FeedConfig | null;
  /** As another system of the seller's would, or its administrator. */
  configure(config: FeedConfig | null): void;
  /** Events that wait or are out, committed ones not. */
  waiting(): number;
}

/** One change of state, in the form of feed and hook. */
export interface StateChange {
  readonly orderId: string;
  readonly state: string;
  readonly lastState: string | null;
  readonly at: number;
}

interface Event extends StateChange {
  readonly eventId: string;
  handle: string;
  visibleAt: number;
}

const MOST_AT_ONCE = 10;
const RETENTION = { least: 345_600, most: 1_209_600 };

export function createFeed(shop: Shop): Feed & { routes: Routes } {
  const queue = openQueue(shop);

  function existing(): FeedConfig {
    const config = queue.config();
    if (!config) throw refuse(404, 'OMS404', 'Feed configuration not found');
    return config;
  }

  function read(call: Call): Reply {
    shop.admit(call, 'feed');
    const config = existing();
    const most = Number(call.query.get('maxlot') ?? 1);
    if (!Number.isInteger(most) || most < 1 || most > MOST_AT_ONCE)
      throw refuse(400, 'OMS001', `maxlot must be between 1 and ${MOST_AT_ONCE}`);
    const lot = queue.take(most, config.queue.visibilityTimeoutInSeconds);
    return { body: lot.map(eventDocument) };
  }

  function commit(call: Call): Reply {
    shop.admit(call, 'feed');
    const { handles } = call.json() as { handles?: readonly string[] };
    if (!Array.isArray(handles) || handles.length === 0)
      throw refuse(400, 'OMS001', 'handles is required');
    queue.commit(handles);
    return { body: '' };
  }

  return {
    config: queue.config,
    configure: queue.configure,
    waiting: queue.waiting,
    routes: {
      'GET /api/orders/feed': read,
      'POST /api/orders/feed': commit,
      'GET /api/orders/feed/config': (call) => {
        shop.admit(call, 'feed');
        return { body: { ...existing(), quantity: queue.waiting() } };
      },
      'POST /api/orders/feed/config': (call) => {
        shop.admit(call, 'feed');
        const config = call.json() as FeedConfig;
        const { MessageRetentionPeriodInSeconds: retention } = config.queue;
        if (retention < RETENTION.least || retention > RETENTION.most)
          throw refuse(400, 'OMS001', 'Invalid MessageRetentionPeriodInSeconds');
        queue.configure(config);
        return { body: '' };
      },
    },
  };
}

/** Events that are not committed; the queue is deleted where none comes for too long. */
function openQueue({ world, now }: Shop) {
  let kept: FeedConfig | null = null;
  let events: Event[] = [];
  let pull: () => Change[] = () => [];
  let lastCame = 0;
  let count = 0;

  function configure(config: FeedConfig | null): void {
    kept = config;
    events = [];
    pull = world.watch();
    lastCame = now();
  }

  function collect(): FeedConfig | null {
    if (!kept) return null;
    const retention = kept.queue.MessageRetentionPeriodInSeconds * 1_000;
    for (const reported of pull().flatMap(stateChangesOf)) {
      if (!passes(kept.filter, reported.state)) continue;
      // Nothing came for so long that it was deleted, and this event with it.
      if (reported.at - lastCame > retention) return dropped();
      lastCame = reported.at;
      count += 1;
      events.push({
        ...reported,
        eventId: `E${String(count).padStart(31, '0')}`,
        handle: '',
        visibleAt: reported.at,
      });
    }
    if (now() - lastCame > retention) return dropped();
    events = events.filter(({ at }) => at > now() - retention);
    return kept;
  }

  function dropped(): null {
    kept = null;
    events = [];
    return null;
  }

  function take(most: number, hiddenSeconds: number): Event[] {
    const lot = events
      .filter(({ visibleAt }) => visibleAt <= now())
      .toReversed()
      .slice(0, most);
    for (const event of lot) {
      count += 1;
      event.handle = Buffer.from(`handle-${count}`).toString('base64url');
      event.visibleAt = now() + hiddenSeconds * 1_000;
    }
    return lot;
  }

  function commit(handles: readonly string[]): void {
    events = events.filter(({ handle }) => handle === '' || !handles.includes(handle));
  }

  const waiting = () => (collect() ? events.length : 0);
  return { config: collect, configure, waiting, take, commit };
}

/** The states that a step of the world goes through, one event each. */
export function stateChangesOf({ order, step }: Change): StateChange[] {
  const states = statesOf(order, step);
  return states.map((state, index) => ({
    orderId: orderIdOf(order),
    state,
    lastState: states[index - 1] ?? null,
    at: step.at,
  }));
}

export function passes({ type, status }: FeedConfig['filter'], state: string): boolean {
  return type !== 'FromWorkflow' || (status?.includes(state) ?? false);
}

function eventDocument({ eventId, handle, state, lastState, orderId, at }: Event) {
  return {
    eventId,
    handle,
    domain: 'Fulfillment',
    state,
    lastState,
    orderId,
    lastChange: written(at),
    currentChange: written(at),
  };
}
