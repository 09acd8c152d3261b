import type { Clock } from './clock.ts';
import { askRedis, type Redis } from './redis.ts';

/** How far the counts in Redis can be trusted. Times are monotonic milliseconds of this process. */
export interface RedisCounts {
  /** Resolves when it is known which server answers. */
  met(): Promise<void>;
  /** Since when everything is counted: a server that was started anew may have lost the rest. */
  since(): number;
  /** Notes that it does not answer. @returns since when it does not */
  noteAway(): number;
  noteAnswer(): void;
}

export function watchRedisCounts(redis: Redis, clock: Clock): RedisCounts {
  let since = Number.NEGATIVE_INFINITY;
  let awaySince: number | null = null;
  let server: string | null = null;
  let met = Promise.resolve();

  async function meet(): Promise<void> {
    const run = await runOf(redis);
    if (server !== null && run !== server) since = awaySince ?? clock.monotonic();
    server = run;
    awaySince = null;
  }

  function noteAway(): number {
    awaySince ??= clock.monotonic();
    return awaySince;
  }

  redis.on('close', noteAway);
  redis.on('ready', () => {
    met = meet().catch(() => void noteAway());
  });
  return {
    met: () => met,
    since: () => since,
    noteAway,
    noteAnswer() {
      awaySince = null;
    },
  };
}

/** Another text after each start of the server; null = it does not say. */
async function runOf(redis: Redis): Promise<string | null> {
  const info = await askRedis(redis, () => redis.info('server'));
  return /^run_id:(\w+)/m.exec(info)?.[1] ?? null;
}
