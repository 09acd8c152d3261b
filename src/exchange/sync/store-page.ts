import type { Page, StreamName, Window } from '../../connectors/contract.ts';
import {
  finishRun,
  keepAside,
  noteRun,
  savePage,
  sealAside,
} from '../../features/connections/index.ts';
import { hasten } from '../../features/schedules/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, together, type WriteScope } from '../../platform/db/database.ts';
import { openGroupCommit } from '../../platform/group-commit.ts';
import type { Instant } from '../../platform/time.ts';
import { RestartedDuringSync } from '../wire/errors.ts';
import { noteGaps } from '../wire/note-gaps.ts';
import type { StoreParts } from './follow-up.ts';
import type { Origin } from './origin.ts';
import { readable, unreadable } from './reads.ts';
import { isRefusedData, storeWhatGoes } from './refused-data.ts';
import { storeBatches, streamStoreOf } from './stream-stores.ts';
import { withoutForgotten } from './without-forgotten.ts';

/** A page of a stream as it was read, and how far its sync run is with it. */
export interface ReadPage {
  readonly name: StreamName;
  readonly origin: Origin;
  readonly window: Window;
  readonly page: Page<unknown>;
  /** The largest change time that the sync run saw. */
  readonly largestSeen: Instant | null;
  /** Things of the slice's former pages that were new or different. */
  readonly changed: number;
  /** @throws Failure where the sync run lost its lock */
  readonly assertHeld: () => void;
}

/** Stores pages, each in one transaction with its checkpoint. */
export interface PageStore {
  /** @returns how many things were new or different */
  store(page: ReadPage): Promise<number>;
}

interface PageStoreParts extends StoreParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Pages of orders stored together; the next ones are prepared while these hold the delta clock. */
const TOGETHER = { most: 10, atOnce: 2 };

/**
 * Storing orders locks the organisation's delta clock until the commit. Pages that wait for it are
 * stored together: one comparison, one lock, one commit.
 */
export function openPageStore(parts: PageStoreParts): PageStore {
  const commits = openGroupCommit<ReadPage, number>(TOGETHER, (_, reads) => storeAll(parts, reads));
  return {
    async store(read) {
      const { connection, isFirstImport } = read.origin;
      const takesClock = read.name === 'orders' && readable(read.page.items).length > 0;
      // A first import emits no customers' events, so its pages are never stored with others.
      if (takesClock) return commits.add(`${connection.organizationId} ${isFirstImport}`, read);
      const [changed = 0] = await storeAll(parts, [read]);
      return changed;
    },
  };
}

/** The batch retries each of several pages alone; a page alone is stored row by row. */
async function storeAll(parts: PageStoreParts, reads: readonly ReadPage[]): Promise<number[]> {
  try {
    return await storeTogether(parts, reads);
  } catch (error) {
    const [read] = reads;
    if (!read || reads.length > 1 || !isRefusedData(error)) throw error;
    return [await storeRowByRow(parts, read)];
  }
}

/** All pages are of one stream and one organisation. */
function storeTogether(parts: PageStoreParts, reads: readonly ReadPage[]): Promise<number[]> {
  const [{ name, origin }] = reads as [ReadPage];
  const batches = reads.map((read) => ({ items: readable(read.page.items), origin: read.origin }));
  return parts.database.within(origin.connection.organizationId).write(async (scope) => {
    const counts = await storeBatches(parts, scope, name, batches);
    const changed: number[] = [];
    for (const [at, read] of reads.entries()) {
      assertAllHeld(read, reads.length);
      const count = counts[at] ?? 0;
      const run = { ...read, changed: read.changed + count };
      changed.push(count + (await saveCheckpoint(parts, scope, run)));
    }
    return changed;
  });
}

/**
 * Sets the rows aside that the database refuses, stores the others, and moves the checkpoint after
 * all of them.
 */
async function storeRowByRow(parts: PageStoreParts, read: ReadPage): Promise<number> {
  const { name, origin, page } = read;
  const organization = parts.database.within(origin.connection.organizationId);
  const { changed, refused } = await storeWhatGoes(readable(page.items), (items) =>
    organization.write(async (scope) => {
      read.assertHeld();
      const [count = 0] = await storeBatches(parts, scope, name, [{ items, origin }]);
      return count;
    }),
  );
  const items = [...unreadable(page.items), ...refused];
  const [afterwards = 0] = await storeTogether(parts, [
    { ...read, changed: read.changed + changed, page: { ...page, items } },
  ]);
  return changed + afterwards;
}

/** If one of several pages lost its lock, the batch fails and each page is retried alone. */
function assertAllHeld({ assertHeld }: ReadPage, count: number): void {
  try {
    assertHeld();
  } catch (cause) {
    throw count === 1 ? cause : new Error('one of several sync runs lost its lock', { cause });
  }
}

/** @returns how many things the end of the sync run changed */
async function saveCheckpoint(
  parts: PageStoreParts,
  scope: WriteScope,
  { name, origin, window, page, largestSeen, changed }: ReadPage,
): Promise<number> {
  const { id } = origin.connection;
  const unread = unreadable(page.items);
  const checkpoint = {
    position: page.next,
    largestSeen,
    items: page.items.length - unread.length,
    total: page.total ?? null,
  };
  const rows = await withoutForgotten(scope, origin.connection, name, unread);
  const aside = await sealAside(scope, id, name, rows);
  const save = () =>
    together([
      keepAside(scope, id, name, aside, window.from),
      savePage(scope, id, name, checkpoint),
    ]);
  if (page.gaps) await noteGaps(scope, `${id}:${name}`, page.gaps);
  const { pauseSeconds: seconds } = page;
  if (seconds !== undefined)
    await hasten(scope, 'sync', `${id}:${name}`, parts.clock.now().add({ seconds }));
  if (page.next !== null) {
    scope.withCommit(save);
    return 0;
  }
  await save();
  await noteRun(scope, id, name, { outcome: page.isBehind ? 'behind' : 'done', reason: null });
  if (!(await finishRun(scope, id, name, largestSeen, window.to))) throw new RestartedDuringSync();
  const run = { from: window.from, changed };
  return (await streamStoreOf(name).finish?.(parts, scope, origin, run)) ?? 0;
}
