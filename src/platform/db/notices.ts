import { type Compilable, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { build } from './query.ts';

/**
 * What processes report each other. `access`: plan, key or member changed; `clock`: orders changed.
 */
type Channel = 'access' | 'clock';

export interface Notices {
  /** Whether every notice arrives; while false, nothing may be answered from a cache. */
  isUp(): boolean;
  on(channel: Channel, listener: (payload: string) => void): void;
  /** Called each time the connection is restored: what was cached before may be stale. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
}

const CHANNELS: readonly Channel[] = ['access', 'clock'];
const RETRY_MS = 250;
/** A database that is away for long, or comes and goes, is logged once in this time. */
const NOTIFY_EVERY_MS = 60_000;
const HEARTBEAT_MS = 300;
/** A connection that ended without an error keeps old plans and keys alive for so long at most. */
const SILENT_AFTER_MS = 900;
/**
 * Heartbeats without an answer after which the connection is given up; a busy process misses none of its
 * own.
 */
const PATIENCE_BEATS = 8;

/** A query that sends a notice when its transaction commits. */
export function notice(channel: Channel, payload: string): Compilable<object> {
  return build.selectNoFrom(sql`pg_notify(${channel}, ${payload})`.as('sent'));
}

/** Listens on a connection of its own and reconnects for as long as the instance stands. */
export async function openNotices(
  database: Database,
  onError: (error: unknown) => void,
): Promise<Notices> {
  const listeners: Record<Channel, ((payload: string) => void)[]> = { access: [], clock: [] };
  const gaps: (() => void)[] = [];
  let line: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const report = nowAndThen(onError);

  function lost(client: pg.Client, error: unknown) {
    if (closed || client !== line) return;
    line = null;
    client.end().catch(() => {});
    report(error);
    retrySoon();
  }

  function retrySoon() {
    timer = setTimeout(() => {
      open().catch((error) => {
        report(error);
        if (!closed) retrySoon();
      });
    }, RETRY_MS);
  }

  async function open() {
    const client = await database.connect();
    client.on('error', (error) => lost(client, error));
    client.on('end', () => lost(client, new Error('the notice line ended')));
    client.on('notification', ({ channel, payload }) => {
      for (const listener of listeners[channel as Channel] ?? []) listener(payload ?? '');
    });
    try {
      for (const channel of CHANNELS) await client.query(`listen ${channel}`);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (closed) return void (await client.end());
    for (const forget of gaps) forget();
    pulse.begin();
    line = client;
  }

  const pulse = openPulse(() => line, lost);
  await open();

  return {
    isUp: () => line !== null && pulse.isFresh(),
    on: (channel, listener) => void listeners[channel].push(listener),
    onGap: (forget) => void gaps.push(forget),
    async close() {
      closed = true;
      clearTimeout(timer);
      pulse.stop();
      await line?.end();
      line = null;
    },
  };
}

/** Asks the connection again and again for an answer, and reports it lost where none comes. */
function openPulse(
  current: () => pg.Client | null,
  lost: (client: pg.Client, error: unknown) => void,
) {
  let heardAt = 0;
  let unanswered = 0;

  function beat(): void {
    const client = current();
    if (!client) return;
    if (unanswered >= PATIENCE_BEATS) return lost(client, new Error('the notice line is silent'));
    // One question at a time; notices sent before its answer have arrived by then.
    if (unanswered++ > 0) return;
    const askedAt = performance.now();
    client.query('select 1').then(
      () => {
        heardAt = askedAt;
        unanswered = 0;
      },
      (error) => lost(client, error),
    );
  }

  const heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
  return {
    /** Of a connection that was just opened. */
    begin() {
      heardAt = performance.now();
      unanswered = 0;
    },
    isFresh: () => performance.now() - heardAt < SILENT_AFTER_MS,
    stop: () => clearInterval(heartbeat),
  };
}

function nowAndThen(onError: (error: unknown) => void): (error: unknown) => void {
  let notifiedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - notifiedAt < NOTIFY_EVERY_MS) return;
    notifiedAt = performance.now();
    onError(error);
  };
}
