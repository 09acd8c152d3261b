import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import type { EmbeddedServer } from './embedded.ts';

interface EmbeddedWatch {
  /** Whether the disk has room for what the next seconds may write. */
  hasRoom(): boolean;
  stop(): void;
}

interface Watched {
  readonly database: Pick<Database, 'ping'>;
  readonly embedded: Pick<EmbeddedServer, 'ensure' | 'freeBytes'>;
  readonly clock: Pick<Clock, 'every'>;
  readonly log: Log;
}

const EVERY_MS = 1_000;
/**
 * Four segments of the write-ahead log. With less, PostgreSQL is about to stop in the middle of a
 * commit.
 */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;

/**
 * Restarts an embedded server that fell, and knows whether its disk is full. Each change is logged
 * once.
 */
export function watchEmbedded({ database, embedded, clock, log }: Watched): EmbeddedWatch {
  let hasRoom = true;
  let isRaising = false;
  let reportedWhy = '';

  function lookAtDisk(): void {
    const had = hasRoom;
    hasRoom = embedded.freeBytes() >= LEAST_FREE_BYTES;
    if (had && !hasRoom)
      log.error({ free_bytes: embedded.freeBytes() }, 'the disk of the database is full');
    if (!had && hasRoom) log.info({}, 'the disk of the database has room again');
  }

  async function raiseIfFallen(): Promise<void> {
    if (isRaising) return;
    isRaising = true;
    const isUp = await database.ping().then(
      () => true,
      () => false,
    );
    if (!isUp)
      await embedded.ensure().then(
        () => {
          reportedWhy = '';
          log.warn({}, 'the embedded database was raised again');
        },
        (err: Error) => {
          if (err.message !== reportedWhy)
            log.error({ err }, 'the embedded database cannot be raised');
          reportedWhy = err.message;
        },
      );
    isRaising = false;
  }

  const stop = clock.every(EVERY_MS, () => {
    lookAtDisk();
    void raiseIfFallen();
  });
  return { hasRoom: () => hasRoom, stop };
}
