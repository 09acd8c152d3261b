import type { Page, SourceOrder, StreamName, Window } from '../../connectors/contract.ts';
import { finishPass, keepAside, savePage, sealAside } from '../../features/connections/index.ts';
import { hasten } from '../../features/schedules/index.ts';
import { openBatches } from '../../platform/batches.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, together, type WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { isRefusedData, storeInParts } from './store-reads.ts';
import {
  assertConnected,
  type Origin,
  type StoreParts,
  type StreamStore,
  storeOrders,
} from './stream-stores.ts';
import { withoutForgotten } from './without-forgotten.ts';

/** A page of a stream as it was read, and where its pass stands with it. */
export interface ReadPage {
  readonly name: StreamName;
  readonly keeping: StreamStore<unknown>;
  readonly origin: Origin;
  readonly window: Window;
  readonly page: Page<unknown>;
  /** The largest change time that the pass saw. */
  readonly largestSeen: Instant | null;
  /** @throws Failure where the pass may no longer write */
  readonly assertHeld: () => void;
}

/** Stores pages, each in one transaction with its checkpoint. */
export interface PageStore {
  /** @returns how many things were new or different */
  store(page: ReadPage): Promise<number>;
}

/**
 * Pages of orders that are stored together; the next ones are made ready while these have the
 * clock.
 */
const TOGETHER = { most: 10, atOnce: 2 };
/** When to ask again for what the other side is still preparing. */
const PAUSE = { minutes: 1 };

/**
 * Whoever stores orders has the organisation's clock alone until the commit, so of many passes
 * under way most wait for it. Those that wait go together: one look, one clock, one commit.
 */
export function openPageStore(parts: PageStoreParts): PageStore {
  const batches = openBatches<ReadPage, number>(TOGETHER, (_, pages) => storeAll(parts, pages));
  return {
    async store(read) {
      const { connection, isFirstImport } = read.origin;
      const takesClock = read.name === 'orders' && readable(read).length > 0;
      // Customers are told of the ones, and not of the others.
      if (takesClock) return batches.add(`${connection.organizationId} ${isFirstImport}`, read);
      const [changed = 0] = await storeAll(parts, [read]);
      return changed;
    },
  };
}

interface PageStoreParts extends StoreParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Of several pages each is tried apart afterwards; of one alone the rows are. */
async function storeAll(parts: PageStoreParts, reads: readonly ReadPage[]): Promise<number[]> {
  try {
    return await storeTogether(parts, reads);
  } catch (error) {
    const [read] = reads;
    if (!read || reads.length > 1 || !isRefusedData(error)) throw error;
    return [await storeRowByRow(parts, read)];
  }
}

/**
 * Rows that the database refuses are set aside, the others are stored, and the checkpoint moves
 * after all of them.
 */
async function storeRowByRow(parts: PageStoreParts, read: ReadPage): Promise<number> {
  const { keeping, origin, page } = read;
  const { organizationId } = origin.connection;
  const { changed, refused } = await storeInParts(readable(read), (items) =>
    parts.database.within(organizationId).write(async (scope) => {
      await assertConnected(scope, [origin.connection]);
      read.assertHeld();
      return keeping.keep(parts, scope, items, origin);
    }),
  );
  const items = [...page.items.filter((item) => !item.ok), ...refused];
  const [afterwards = 0] = await storeTogether(parts, [{ ...read, page: { ...page, items } }]);
  return changed + afterwards;
}

function storeTogether(parts: PageStoreParts, reads: readonly ReadPage[]): Promise<number[]> {
  const [{ origin }] = reads as [ReadPage];
  return parts.database.within(origin.connection.organizationId).write(async (scope) => {
    // First of all, in this order: the connections, then the clock that whoever changes orders
    // takes.
    const [, counts] = await together([
      assertConnected(
        scope,
        reads.map((read) => read.origin.connection),
      ),
      keepItems(parts, scope, reads),
    ]);
    const changed: number[] = [];
    for (const [at, read] of reads.entries()) {
      assertAllHeld(read, reads.length);
      changed.push((counts[at] ?? 0) + (await saveProgress(parts, scope, read)));
    }
    return changed;
  });
}

async function keepItems(
  parts: PageStoreParts,
  scope: WriteScope,
  reads: readonly ReadPage[],
): Promise<number[]> {
  const [first] = reads as [ReadPage];
  if (reads.length === 1)
    return [await first.keeping.keep(parts, scope, readable(first), first.origin)];
  return storeOrders(
    parts,
    scope,
    reads.map((read) => ({
      orders: readable(read) as readonly SourceOrder[],
      origin: read.origin,
    })),
  );
}

/** What one of several may not do is its own affair: they are tried again, each apart. */
function assertAllHeld({ assertHeld }: ReadPage, count: number): void {
  try {
    assertHeld();
  } catch (cause) {
    throw count === 1 ? cause : new Error('one of several passes may no longer write', { cause });
  }
}

/** @returns how many things the end of the pass changed */
async function saveProgress(
  parts: PageStoreParts,
  scope: WriteScope,
  read: ReadPage,
): Promise<number> {
  const { name, keeping, origin, window, page, largestSeen } = read;
  const { id } = origin.connection;
  const unreadable = page.items.filter((item) => !item.ok);
  const checkpoint = {
    position: page.next,
    largestSeen,
    items: page.items.length - unreadable.length,
  };
  const rows = await withoutForgotten(scope, origin.connection, name, unreadable);
  const aside = await sealAside(scope, id, name, rows);
  const save = () =>
    together([keepAside(scope, id, name, aside), savePage(scope, id, name, checkpoint)]);
  if (page.pause) await hasten(scope, 'sync', `${id}:${name}`, parts.clock.now().add(PAUSE));
  if (page.next !== null) {
    scope.atLast(save);
    return 0;
  }
  await save();
  await finishPass(scope, id, name, largestSeen);
  return (await keeping.finish?.(parts, scope, origin, window)) ?? 0;
}

export function readable({ page }: Pick<ReadPage, 'page'>): readonly unknown[] {
  return page.items.filter((item) => item.ok).map((item) => item.item);
}
