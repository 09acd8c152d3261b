/**
 * Loaded before a program of a test: at each SIGUSR2 it collects its garbage and prints `Vitals` as
 * one line of JSON.
 */
import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

export interface Vitals {
  /** What is reachable, in megabytes: the heap and the buffers outside of it. */
  readonly heap: number;
  /** Listeners of the process itself. */
  readonly listeners: number;
  readonly timers: number;
}

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    // What only finalizers kept is gone with the second one.
    setImmediate(() => {
      collect();
      process.stdout.write(`${JSON.stringify(vitals())}\n`);
    });
  });
}

function vitals(): Vitals {
  const { heapUsed, external } = process.memoryUsage();
  const listeners = process
    .eventNames()
    .map((name) => EventEmitter.listenerCount(process, name))
    .reduce((sum, count) => sum + count, 0);
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  return { heap: (heapUsed + external) / 2 ** 20, listeners, timers };
}
