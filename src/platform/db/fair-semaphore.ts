/**
 * A semaphore shared by tenants: free permits are granted round-robin across tenants, so that one
 * tenant's backlog cannot starve the others.
 */
export interface FairSemaphore<Resource> {
  /**
   * Null = the permit was free and is taken; else it is taken when the promise resolves, with the
   * resource of the releaser, if there is one. Each permit must be released. A waiter whose signal
   * is aborted passes its turn to the next.
   * @throws the refusal when no permit came free in time, the signal's reason
   */
  acquire(tenant: string, signal?: AbortSignal): Promise<Resource | null> | null;
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

/** @param refusal the error of a waiter after `timeoutMs` */
export function openFairSemaphore<Resource>(
  permits: number,
  timeoutMs: number,
  refusal: () => unknown,
): FairSemaphore<Resource> {
  const tenants = new Map<string, Tenant<Resource>>();
  /** Tenants with waiters, each once; after each grant a tenant goes to the end. */
  const queue: Tenant<Resource>[] = [];
  let free = permits;
  const mayHoldMore = ({ held }: Tenant<Resource>) => held < free * MOST_HELD_PER_FREE;

  function grant(tenant: Tenant<Resource>): void {
    free--;
    tenant.held++;
  }

  function enqueue(
    tenant: Tenant<Resource>,
    signal: AbortSignal | undefined,
  ): Promise<Resource | null> {
    if (tenant.waiters.length === 0) queue.push(tenant);
    const { promise, resolve, reject } = Promise.withResolvers<Resource | null>();
    const timer = setTimeout(() => {
      tenant.waiters.splice(tenant.waiters.indexOf(waiter), 1);
      if (tenant.waiters.length === 0) queue.splice(queue.indexOf(tenant), 1);
      removeIdle(tenant);
      reject(refusal());
    }, timeoutMs).unref();
    const waiter = { signal, timer, resolve, reject };
    tenant.waiters.push(waiter);
    return promise;
  }

  /** Removes the first tenant that may hold more from the queue. */
  function nextTenant(): Tenant<Resource> | undefined {
    const index = queue.findIndex(mayHoldMore);
    return index === -1 ? undefined : queue.splice(index, 1)[0];
  }

  /** @returns whether a waiter took the resource. */
  function handOff(resource: Resource | null): boolean {
    let left = resource;
    for (let tenant = nextTenant(); tenant; tenant = nextTenant()) {
      const waiter = tenant.waiters.shift() as Waiter<Resource>;
      if (tenant.waiters.length > 0) queue.push(tenant);
      clearTimeout(waiter.timer);
      if (waiter.signal?.aborted) {
        waiter.reject(waiter.signal.reason);
        continue;
      }
      grant(tenant);
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
      const tenant = tenants.get(name) ?? { name, held: 0, waiters: [] };
      tenants.set(name, tenant);
      if (!mayHoldMore(tenant)) return enqueue(tenant, signal);
      grant(tenant);
      return null;
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
