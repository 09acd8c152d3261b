/**
 * Loaded before a program of a test. It holds one end of a pipe: should its parent die, it
 * dies too.
 */
import { Socket } from 'node:net';

/** Which descriptor the pipe is; the starter opens it. */
const LEASH = 3;

const leash = new Socket({ fd: LEASH });
leash.once('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => {});
leash.resume();
// A program that is done ends, whether or not its starter still lives.
leash.unref();
