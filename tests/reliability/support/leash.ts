/**
 * Loaded before a program of a test. It holds one end of a pipe: should its parent die, it
 * dies too.
 */
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Which descriptor the pipe is; the starter opens it. */
const LEASH = 3;

// A thread of the program loads this again, and its end would close the pipe.
if (isMainThread) {
  const leash = new Socket({ fd: LEASH });
  leash.once('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => {});
  leash.resume();
  // A program that is done ends, whether or not its starter still lives.
  leash.unref();
}
