/** A customer's program that follows changes through the API, page by page. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCaller } from './api.ts';
import { machineMilliseconds } from './writer.ts';

/**
 * What it asks for next time: changes since the largest `last_updated` that it saw, or since
 * `meta.as_of`.
 */
type Following = 'largest' | 'as_of';

interface Sighting {
  /** As the API wrote it; as text these sort. */
  readonly lastUpdated: string;
  /** Machine milliseconds at which its page had arrived. */
  readonly at: number;
}

export interface Follower {
  readonly following: Following;
  /** By order: each newer state that was seen, in the order of seeing. */
  readonly sightings: ReadonlyMap<string, readonly Sighting[]>;
  /** By order: the last state that was seen. */
  readonly copy: ReadonlyMap<string, ListedOrder>;
  readonly pages: () => number;
  /** Ends after the walk under way; throws what went wrong meanwhile. */
  stop(): Promise<void>;
}

export interface ListedOrder {
  readonly id: string;
  readonly status: string;
  readonly last_updated: string;
  readonly items: readonly { readonly sku: string }[];
}

interface Page {
  readonly data: readonly ListedOrder[];
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
  readonly meta: { readonly as_of: string };
}

const PAGE_SIZE = 25;
const PAUSE_MS = 25;
const BEGINNING = '2000-01-01T00:00:00Z';

export function follow(url: string, key: string, following: Following): Follower {
  const caller = openCaller(url, key);
  const sightings = new Map<string, Sighting[]>();
  const copy = new Map<string, ListedOrder>();
  let goesOn = true;
  let pages = 0;
  let since = BEGINNING;

  function see(order: ListedOrder, at: number) {
    const known = copy.get(order.id);
    if (known && known.last_updated >= order.last_updated) return;
    copy.set(order.id, order);
    const seen = sightings.get(order.id) ?? [];
    if (seen.length === 0) sightings.set(order.id, seen);
    seen.push({ lastUpdated: order.last_updated, at });
  }

  async function walk() {
    let largest = since;
    let query = `updated_since=${encodeURIComponent(since)}`;
    for (;;) {
      const page = await readPage(caller, `limit=${PAGE_SIZE}&${query}`);
      const at = machineMilliseconds();
      pages++;
      for (const order of page.data) see(order, at);
      largest = largestOf(page.data, largest, since === BEGINNING);
      if (!page.pagination.has_more) {
        since = following === 'largest' ? largest : page.meta.as_of;
        return;
      }
      query = `cursor=${page.pagination.next_cursor}`;
    }
  }

  const done = (async () => {
    while (goesOn) {
      await walk();
      await sleep(PAUSE_MS);
    }
  })();
  done.catch(() => {});
  return {
    following,
    sightings,
    copy,
    pages: () => pages,
    async stop() {
      goesOn = false;
      await done.finally(caller.close);
    },
  };
}

/** Every order of the organisation, newest first, by the plain list. */
export async function readAll(url: string, key: string): Promise<Map<string, ListedOrder>> {
  const caller = openCaller(url, key);
  const all = new Map<string, ListedOrder>();
  try {
    for (let query = ''; ; ) {
      const { data, pagination } = await readPage(caller, `limit=100${query}`);
      for (const order of data) all.set(order.id, order);
      if (!pagination.has_more) return all;
      query = `&cursor=${pagination.next_cursor}`;
    }
  } finally {
    caller.close();
  }
}

async function readPage(caller: ReturnType<typeof openCaller>, query: string): Promise<Page> {
  const answer = await caller.get(`/v1/orders?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Page;
}

/** The largest stamp so far; only the first walk may begin in any order. */
function largestOf(orders: readonly ListedOrder[], before: string, isFirst: boolean): string {
  let largest = before;
  for (const { last_updated } of orders) {
    assert.ok(last_updated >= largest || isFirst, 'a delta walk goes forward');
    if (last_updated > largest) largest = last_updated;
  }
  return largest;
}
