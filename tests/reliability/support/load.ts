/** Customers and marketplaces who go on asking while the instance or its database falls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Caller, openCaller } from './api.ts';

interface Asked {
  readonly sentAt: number;
  readonly endedAt: number;
  /** Null = no answer, or a part of one. */
  readonly answer: Answer | null;
  readonly error: NodeJS.ErrnoException | null;
}

interface Load {
  readonly asked: readonly Asked[];
  stop(): Promise<readonly Asked[]>;
}

type Asking = (caller: Caller, number: number) => Promise<Answer>;

/**
 * So many callers, each with a connection that is kept open, each asking again as soon as it is
 * answered.
 */
export function openLoad(url: string, key: string | null, callers: number, ask: Asking): Load {
  const asked: Asked[] = [];
  let goesOn = true;
  let number = 0;
  const go = async () => {
    const caller = openCaller(url, key);
    while (goesOn) {
      const sentAt = performance.now();
      const note = (answer: Answer | null, error: NodeJS.ErrnoException | null) =>
        asked.push({ sentAt, endedAt: performance.now(), answer, error });
      try {
        note(await ask(caller, number++), null);
      } catch (error) {
        note(null, error as NodeJS.ErrnoException);
        await sleep(10);
      }
    }
    caller.close();
  };
  const all = Array.from({ length: callers }, go);
  return {
    asked,
    async stop() {
      goesOn = false;
      await Promise.all(all);
      return asked;
    },
  };
}

/** How often each status came, and each way of not answering. */
export function tally(asked: readonly Asked[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer, error } of asked) {
    const name = answer ? String(answer.status) : (error?.code ?? error?.message ?? 'unknown');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
