import { Overload } from '../failure.ts';

/**
 * A semaphore shared by tenants: free permits are granted round-robin across tenants, so that one
 * tenant's backlog cannot starve the others.
 */
export interface FairSemaphore<Resource> {
  /**
   * Null = the permit was free and is taken; else it is taken when the promise resolves, with the
   * resource of the releaser, if there is one. Each permit must be released. A waiter whose signal
   * is aborted passes its turn to the next.
   * @throws Overload where the queue is too long; the refusal when no permit came free in time; the
   * signal's reason
   */
  acquire(tenant: string, signal?: AbortSignal): Promise<Resource | null> | null;
  /**
   * For a caller that waits for something else first. @throws Overload where the queue is too long
   * for it now
   */
  requireRoom(tenant: string): void;
  /** @returns whether the resource was handed to a waiter. */
  release(tenant: string, resource: Resource | null): boolean;
}

interface Tenant<Resource> {
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

/**
 * A tenant alone gets three quarters of the permits, two get three sevenths each, and so on: another
 * tenant nearly always finds one free, however long the others hold theirs.
 */
const MOST_HELD_PER_FREE = 3;
const RETRY_AFTER_SECONDS = 1;
const WEIGHT_OF_LAST = 0.05;

interface Waiting {
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

export function openFairSemaphore<Resource>(
  permits: number,
  { longestMs, timeoutMs, refusal, now }: Waiting,
): FairSemaphore<Resource> {
  const tenants = new Map<string, Tenant<Resource>>();
  const estimate = openWaitEstimate(now, longestMs, timeoutMs);
  /** Tenants with waiters, each once; after each grant a tenant goes to the end. */
  const queue: Tenant<Resource>[] = [];
  let free = permits;
  const mayHoldMore = ({ held }: Tenant<Resource>) => held < free * MOST_HELD_PER_FREE;

  function enqueue(
    tenant: Tenant<Resource>,
    signal: AbortSignal | undefined,
  ): Promise<Resource | null> {
    if (!mayJoin(tenant)) return Promise.reject(crowded()).finally(() => removeIdle(tenant));
    estimate.join();
    if (tenant.waiters.length === 0) queue.push(tenant);
    const { promise, resolve, reject } = Promise.withResolvers<Resource | null>();
    const timer = setTimeout(() => refuse(tenant, waiter, refusal()), timeoutMs).unref();
    const waiter = { signal, timer, resolve, reject };
    tenant.waiters.push(waiter);
    return promise;
  }

  function refuse(tenant: Tenant<Resource>, waiter: Waiter<Resource>, reason: unknown): void {
    clearTimeout(waiter.timer);
    waiter.reject(reason);
    tenant.waiters.splice(tenant.waiters.indexOf(waiter), 1);
    estimate.leave();
    if (tenant.waiters.length === 0) queue.splice(queue.indexOf(tenant), 1);
    removeIdle(tenant);
  }

  /** Where the queue is too long, a waiter of a longer backlog than the newcomer's is refused. */
  function mayJoin(newcomer: Tenant<Resource>): boolean {
    if (!estimate.isTooLong()) return true;
    const longest = longestBacklog(queue, newcomer);
    if (!longest) return estimate.hasRoomForOne(newcomer);
    refuse(longest, longest.waiters.at(-1) as Waiter<Resource>, crowded());
    return true;
  }

  const nextTenant = () => removeFirst(queue, mayHoldMore);
  const tenantOf = (name: string) => tenants.get(name) ?? { name, held: 0, waiters: [] };

  /** @returns whether a waiter took the resource. */
  function handOff(resource: Resource | null): boolean {
    let left = resource;
    for (let tenant = nextTenant(); tenant; tenant = nextTenant()) {
      const waiter = tenant.waiters.shift() as Waiter<Resource>;
      estimate.leave();
      if (tenant.waiters.length > 0) queue.push(tenant);
      clearTimeout(waiter.timer);
      if (waiter.signal?.aborted) {
        waiter.reject(waiter.signal.reason);
        continue;
      }
      free--;
      tenant.held++;
      estimate.move();
      waiter.resolve(left);
      left = null;
    }
    return left === null && resource !== null;
  }

  function removeIdle(tenant: Tenant<Resource>): void {
    if (tenant.held === 0 && tenant.waiters.length === 0) tenants.delete(tenant.name);
  }

  return {
    acquire(name, signal) {
      const tenant = tenantOf(name);
      tenants.set(name, tenant);
      if (!mayHoldMore(tenant)) return enqueue(tenant, signal);
      free--;
      tenant.held++;
      return null;
    },
    requireRoom(name) {
      const tenant = tenantOf(name);
      if (estimate.isTooLong() && !estimate.hasRoomForOne(tenant) && !longestBacklog(queue, tenant))
        throw crowded();
    },
    release(name, resource) {
      const tenant = tenants.get(name);
      if (!tenant || tenant.held === 0) throw new Error('a permit was released that was not held');
      tenant.held--;
      free++;
      const isHandedOff = handOff(resource);
      removeIdle(tenant);
      return isHandedOff;
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
