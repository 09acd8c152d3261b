import { Overload } from '../failure.ts';

/** A tenant of a semaphore. */
export interface Tenant<Resource> {
  readonly name: string;
  held: number;
  readonly waiters: Waiter<Resource>[];
}

interface Waiter<Resource> {
  readonly signal: AbortSignal | undefined;
  readonly timer: NodeJS.Timeout;
  resolve(resource: Resource | null): void;
  reject(reason: unknown): void;
}

export interface Waiting {
  /**
   * A queue that would take longer is not joined: of the tenant with the longest backlog the newest
   * is refused. One waiter of each tenant may stay in the queue, up to `timeoutMs`.
   */
  readonly longestMs: number;
  readonly timeoutMs: number;
  /** The error of a waiter after `timeoutMs`. */
  readonly refusal: () => unknown;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** The waiters of all tenants: tenants take turns, and each keeps the order of arrival. */
interface FairQueue<Resource> {
  /**
   * One waiter more. @returns what it is granted
   * @throws Overload where the queue is too long; the refusal when nothing was granted in time; the
   * signal's reason
   */
  join(tenant: Tenant<Resource>, signal: AbortSignal | undefined): Promise<Resource | null>;
  /** @throws Overload where the queue is too long for one waiter more */
  requireRoom(tenant: Tenant<Resource>): void;
  /**
   * Takes the next waiter of the tenants that may be granted something.
   * @returns null where there is none
   */
  next(
    mayBeGranted: (tenant: Tenant<Resource>) => boolean,
  ): { readonly tenant: Tenant<Resource>; readonly waiter: Waiter<Resource> } | null;
}

const RETRY_AFTER_SECONDS = 1;
const WEIGHT_OF_LAST = 0.05;

/** @param onRefused is called when a waiter of the tenant was refused */
export function openFairQueue<Resource>(
  { longestMs, timeoutMs, refusal, now }: Waiting,
  onRefused: (tenant: Tenant<Resource>) => void,
): FairQueue<Resource> {
  const estimate = openWaitEstimate(now, longestMs, timeoutMs);
  /** Tenants with waiters, each once; after each grant a tenant goes to the end. */
  const queue: Tenant<Resource>[] = [];

  function refuse(tenant: Tenant<Resource>, waiter: Waiter<Resource>, reason: unknown): void {
    clearTimeout(waiter.timer);
    waiter.reject(reason);
    tenant.waiters.splice(tenant.waiters.indexOf(waiter), 1);
    estimate.leave();
    if (tenant.waiters.length === 0) queue.splice(queue.indexOf(tenant), 1);
    onRefused(tenant);
  }

  /** Where the queue is too long, a waiter of a longer backlog than the newcomer's is refused. */
  function mayJoin(newcomer: Tenant<Resource>): boolean {
    if (!estimate.isTooLong()) return true;
    const longest = longestBacklog(queue, newcomer);
    if (!longest) return estimate.hasRoomForOne(newcomer);
    refuse(longest, longest.waiters.at(-1) as Waiter<Resource>, crowded());
    return true;
  }

  return {
    join(tenant, signal) {
      if (!mayJoin(tenant)) return Promise.reject(crowded()).finally(() => onRefused(tenant));
      estimate.join();
      if (tenant.waiters.length === 0) queue.push(tenant);
      const { promise, resolve, reject } = Promise.withResolvers<Resource | null>();
      const timer = setTimeout(() => refuse(tenant, waiter, refusal()), timeoutMs).unref();
      const waiter = { signal, timer, resolve, reject };
      tenant.waiters.push(waiter);
      return promise;
    },
    requireRoom(tenant) {
      if (estimate.isTooLong() && !estimate.hasRoomForOne(tenant) && !longestBacklog(queue, tenant))
        throw crowded();
    },
    next(mayBeGranted) {
      const nextTenant = () => removeFirst(queue, mayBeGranted);
      for (let tenant = nextTenant(); tenant; tenant = nextTenant()) {
        const waiter = tenant.waiters.shift() as Waiter<Resource>;
        estimate.leave();
        if (tenant.waiters.length > 0) queue.push(tenant);
        clearTimeout(waiter.timer);
        if (!waiter.signal?.aborted) {
          estimate.move();
          return { tenant, waiter };
        }
        waiter.reject(waiter.signal.reason);
      }
      return null;
    },
  };
}

function removeFirst<Item>(list: Item[], which: (item: Item) => boolean): Item | undefined {
  const index = list.findIndex(which);
  return index === -1 ? undefined : list.splice(index, 1)[0];
}

function crowded(): Overload {
  return new Overload(RETRY_AFTER_SECONDS);
}

/** @returns null where none would still be longer than the newcomer's with it in the queue */
function longestBacklog<Resource>(
  queue: readonly Tenant<Resource>[],
  newcomer: Tenant<Resource>,
): Tenant<Resource> | null {
  const backlog = ({ waiters }: Tenant<Resource>) => waiters.length;
  const longest = queue.reduce(
    (most, one) => (backlog(one) > backlog(most) ? one : most),
    newcomer,
  );
  return backlog(longest) > backlog(newcomer) + 1 ? longest : null;
}

/**
 * How long the queue is, and how fast it moves: a moving average of the time between two grants, in
 * which one pause counts for `longestMs` at most, so that a stall changes the estimate little.
 */
function openWaitEstimate(now: () => number, longestMs: number, timeoutMs: number) {
  let waiting = 0;
  /** Milliseconds; 0 before the first grant. */
  let interval = 0;
  let last = 0;
  return {
    join() {
      // The time without a queue says nothing.
      if (waiting++ === 0) last = now();
    },
    leave() {
      waiting--;
    },
    move() {
      const at = now();
      interval += (Math.min(at - last, longestMs) - interval) * WEIGHT_OF_LAST;
      last = at;
    },
    isTooLong: () => waiting * interval > longestMs,
    /** One waiter of each tenant may stay in a queue that is too long. */
    hasRoomForOne: ({ waiters }: { readonly waiters: readonly unknown[] }) =>
      waiters.length === 0 && waiting * interval <= timeoutMs,
  };
}
