import { type Compilable, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { build } from './query.ts';

/** What processes tell each other. `access`: plan, key or member changed; `clock`: orders changed. */
export type Channel = 'access' | 'clock';

export interface Notices {
  /** Whether every notice arrives; while false, nothing may be answered from a cache. */
  isUp(): boolean;
  on(channel: Channel, hear: (payload: string) => void): void;
  /** Called each time the line comes back: what was cached before may be stale. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
}

const CHANNELS: readonly Channel[] = ['access', 'clock'];
const RETRY_MS = 250;
const HEARTBEAT_MS = 2_000;

/** A query that sends a notice when its transaction commits. */
export function notice(channel: Channel, payload: string): Compilable<object> {
  return build.selectNoFrom(sql`pg_notify(${channel}, ${payload})`.as('sent'));
}

/** Listens on a connection of its own and reconnects for as long as the house stands. */
export async function openNotices(database: Database, onError: (error: unknown) => void): Promise<Notices> {
  const hearers: Record<Channel, ((payload: string) => void)[]> = { access: [], clock: [] };
  const gaps: (() => void)[] = [];
  let client: pg.Client | null = null;
  let up = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function lost(error: unknown) {
    if (closed || !client) return;
    up = false;
    client.removeAllListeners('end');
    client.end().catch(onError);
    client = null;
    onError(error);
    timer = setTimeout(retry, RETRY_MS);
  }

  function retry() {
    open().catch((error) => {
      onError(error);
      if (!closed) timer = setTimeout(retry, RETRY_MS);
    });
  }

  async function open() {
    const next = await database.connect();
    next.on('error', lost);
    next.on('end', () => lost(new Error('the notice line ended')));
    next.on('notification', ({ channel, payload }) => {
      for (const hear of hearers[channel as Channel] ?? []) hear(payload ?? '');
    });
    client = next;
    for (const channel of CHANNELS) await next.query(`listen ${channel}`);
    if (closed) return void (await next.end());
    for (const forget of gaps) forget();
    up = true;
  }

  await open();
  // A line that was cut without a word would leave caches stale for ever.
  const heartbeat = setInterval(() => client?.query('select 1').catch(lost), HEARTBEAT_MS);
  heartbeat.unref();

  return {
    isUp: () => up,
    on: (channel, hear) => void hearers[channel].push(hear),
    onGap: (forget) => void gaps.push(forget),
    async close() {
      closed = true;
      up = false;
      clearTimeout(timer);
      clearInterval(heartbeat);
      client?.removeAllListeners('end');
      await client?.end();
    },
  };
}
