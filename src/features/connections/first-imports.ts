import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { Connection } from './connection.ts';
import { listConnections } from './connections.ts';
import { firstPasses } from './store-streams.ts';
import { hasFailedSince } from './streams.ts';

/** A first import under way. */
interface FirstImport {
  readonly connection: Connection;
  readonly stream: StreamName;
  /** Whether a failure has stopped it since it began. */
  readonly hasFailed: boolean;
  /** What it reads: null = since the account exists. */
  readonly from: Instant | null;
  readonly to: Instant;
  /** Rows that it has read. */
  readonly items: number;
  /** Rows that it will read, as the service counted them; null = it counts none. */
  readonly total: number | null;
  /** Null = too young to measure. */
  readonly perMinute: number | null;
  /**
   * By the measured pace; null = without a total or a pace, or all rows are read: the pace says
   * nothing of a wait for the service.
   */
  readonly remainingSeconds: number | null;
}

/** A pace of fewer seconds says nothing of the next minutes. */
const LEAST_SECONDS = 10;
const MINUTE = 60;

/** The first imports of accounts that are read now. */
export async function firstImports(scope: ReadScope): Promise<FirstImport[]> {
  const now = scope.clock.now();
  const reading = (await listConnections(scope)).filter(({ state }) => state === 'ok');
  return (await firstPasses(scope)).flatMap((row) => {
    const connection = reading.find(({ id }) => id === row.connection_id);
    if (!connection || !row.window_to) return [];
    const { pass_items: items, window_from: from, window_to: to } = row;
    // A row that moved while it was listed may be read twice.
    const total = row.pass_total === null ? null : Math.max(row.pass_total, items);
    const pace = paceOf(items, to.until(now).total('seconds'));
    const left = total === null ? 0 : total - items;
    return {
      connection,
      stream: row.stream as StreamName,
      hasFailed: hasFailedSince(row),
      from,
      to,
      items,
      total,
      perMinute: pace && Math.round(pace * MINUTE),
      remainingSeconds: pace && left > 0 ? Math.ceil(left / pace) : null,
    };
  });
}

/** Rows a second. */
function paceOf(items: number, seconds: number): number | null {
  return items === 0 || seconds < LEAST_SECONDS ? null : items / seconds;
}
