/** What a crowd of callers got, sorted into the windows of the quota. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Caller } from './api.ts';

export interface Counted {
  readonly status: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly reset: number;
  readonly retryAfter: number | null;
  /** Number of the process that answered, and of the connection in it. */
  readonly process: number;
  readonly connection: number;
}

/** One window: what its answers were, in the order in which they came. */
export interface Window {
  readonly reset: number;
  readonly admitted: readonly Counted[];
  readonly refused: number;
}

interface Crowd {
  readonly answers: readonly Counted[];
  /** Requests that got no answer at all. */
  readonly failures: readonly Error[];
  stop(): Promise<void>;
}

/** Callers that ask without rest; who is refused takes a breath. */
export function crowd(callers: readonly Caller[], connections: number, path: string): Crowd {
  const answers: Counted[] = [];
  const failures: Error[] = [];
  let goesOn = true;
  const ask = async (caller: Caller, process: number, connection: number) => {
    while (goesOn) {
      try {
        const answer = countedOf(await caller.get(path), process, connection);
        answers.push(answer);
        if (answer.status === 429) await sleep(20 + Math.random() * 80);
      } catch (error) {
        failures.push(error as Error);
        await sleep(50);
      }
    }
  };
  const all = callers.flatMap((caller, process) =>
    Array.from({ length: connections }, (_, connection) => ask(caller, process, connection)),
  );
  return {
    answers,
    failures,
    async stop() {
      goesOn = false;
      await Promise.all(all);
    },
  };
}

/**
 * Windows follow each other by their length at least, and `Reset` is rounded: answers whose `Reset`
 * differs by a second at most are of one window.
 */
export function windowsOf(answers: readonly Counted[]): Window[] {
  const resets = [...new Set(answers.map(({ reset }) => reset))].sort((a, b) => a - b);
  const starts = resets.filter(
    (reset, index) => index === 0 || reset - (resets[index - 1] as number) > 1,
  );
  return starts.map((start) => {
    const own = answers.filter(({ reset }) => reset === start || reset === start + 1);
    return {
      reset: start,
      admitted: own.filter(({ status }) => status !== 429),
      refused: own.filter(({ status }) => status === 429).length,
    };
  });
}

function countedOf({ status, headers }: Answer, process: number, connection: number): Counted {
  const retryAfter = headers['retry-after'];
  return {
    status,
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
    process,
    connection,
  };
}
