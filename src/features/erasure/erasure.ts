import type { Database } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** What became of the webhooks that were registered for an account at its service. */
export interface ServiceOutcome {
  readonly service: string;
  readonly webhooks: 'removed' | 'left' | 'none';
}

export interface Erasure {
  readonly startedAt: Instant;
  /** Null = it was cut short: the next call goes on. */
  readonly endedAt: Instant | null;
  readonly services: readonly ServiceOutcome[];
  /** How many rows of each table, by its name; `queue.job` are the jobs. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The erasure of an organisation, under way or over. */
export function erasureOf(database: Database, id: string): Promise<Erasure | null> {
  return database.read(async (handle) => {
    const row = await store.find(handle, id);
    if (!row) return null;
    const counts = await store.counts(handle, id);
    return {
      startedAt: row.started_at,
      endedAt: row.ended_at,
      services: JSON.parse(row.services) as ServiceOutcome[],
      rows: Object.fromEntries(counts.map(({ table_name, rows }) => [table_name, rows])),
    };
  });
}
