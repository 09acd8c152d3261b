import { openFairQueue, type Tenant, type Waiting } from './fair-queue.ts';

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

/**
 * A tenant alone gets three quarters of the permits, two get three sevenths each, and so on: another
 * tenant nearly always finds one free, however long the others hold theirs.
 */
const MOST_HELD_PER_FREE = 3;

export function openFairSemaphore<Resource>(
  permits: number,
  waiting: Waiting,
): FairSemaphore<Resource> {
  const tenants = new Map<string, Tenant<Resource>>();
  const queue = openFairQueue<Resource>(waiting, removeIdle);
  let free = permits;
  const mayHoldMore = ({ held }: Tenant<Resource>) => held < free * MOST_HELD_PER_FREE;
  const tenantOf = (name: string) => tenants.get(name) ?? { name, held: 0, waiters: [] };

  function take(tenant: Tenant<Resource>): void {
    free--;
    tenant.held++;
  }

  /** @returns whether a waiter took the resource. */
  function handOff(resource: Resource | null): boolean {
    let left = resource;
    for (let next = queue.next(mayHoldMore); next; next = queue.next(mayHoldMore)) {
      take(next.tenant);
      next.waiter.resolve(left);
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
      if (!mayHoldMore(tenant)) return queue.join(tenant, signal);
      take(tenant);
      return null;
    },
    requireRoom: (name) => queue.requireRoom(tenantOf(name)),
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
