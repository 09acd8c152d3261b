import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { isDiskFull } from '../../platform/db/unavailable.ts';
import { Failure } from '../../platform/failure.ts';
import type { ThreadAnswer, ThreadTask } from './thread-messages.ts';
import { writeExport } from './write-export.ts';

// A thread that writes one export after the other: see `run-export.ts`.

const THIS_THREAD = 0;
/** Pages are short, and nothing waits for them. */
const STATEMENT_SECONDS = 60;

const post = (answer: ThreadAnswer) => parentPort?.postMessage(answer);

// On Linux this is the priority of the thread alone.
setPriority(THIS_THREAD, constants.priority.PRIORITY_LOW);
parentPort?.on('message', write);

/** What is thrown ends the thread. */
async function write({ address, master, request }: ThreadTask): Promise<void> {
  const database = openDatabase({
    address,
    clock: systemClock,
    keyring: master && {
      current: Buffer.from(master.current),
      previous: master.previous && Buffer.from(master.previous),
    },
    readerTimeoutSeconds: STATEMENT_SECONDS,
    // The statement that meets the loss reports it.
    onIdleError: () => {},
  });
  try {
    const parts = { database, clock: systemClock, onProgress: (rows: number) => post({ rows }) };
    post({ result: await writeExport(parts, request) });
  } catch (error) {
    if (error instanceof Failure && isDiskFull(error.cause)) post({ isDiskFull: true });
    else if (error instanceof Failure)
      post({ failure: { code: error.code, message: error.message } });
    else throw error;
  } finally {
    await database.close();
  }
}
