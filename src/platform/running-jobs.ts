/** How many jobs of a queue run at once. */
export interface Concurrency {
  /** In one process. */
  readonly concurrency: number;
  /** Of one group, over all processes; absent = any number. */
  readonly groupConcurrency?: number;
  /**
   * Of jobs whose only long part is the wait for a service: so many that have run for a second hold
   * no slot. Absent = none.
   */
  readonly waiting?: number;
}

export interface TakenJob {
  readonly id: string;
  readonly data: unknown;
  /** Shares the slots with jobs of the same lane; null = with no other job. */
  readonly lane: string | null;
}

interface RunningJob extends TakenJob {
  /** It has run for so long that it must be waiting for a service. */
  isWaiting: boolean;
}

/** The running jobs of one queue in this process, and the slots that they hold. */
export interface RunningJobs {
  /** The free slots, and the lanes that hold so many slots that they get none of these. */
  room(): { readonly free: number; readonly closedLanes: readonly string[] };
  /** @param work is never rejected */
  begin(job: TakenJob, work: () => Promise<void>): void;
  has(id: string): boolean;
  ids(): string[];
  /** None of them counts any more, though its work may go on. */
  clear(): void;
  /** Resolves when the work of all of them is over. */
  ended(): Promise<unknown>;
}

/**
 * A lane alone gets three quarters of the slots, two get three sevenths each: a third one finds
 * some free.
 */
const MOST_HELD_PER_FREE = 3;
const WAITS_AFTER_MS = 1_000;

/** @param onFree is called when a slot became free */
export function openRunningJobs(
  { concurrency, waiting = 0 }: Concurrency,
  onFree: () => void,
): RunningJobs {
  const running = new Map<string, RunningJob>();
  const works = new Set<Promise<void>>();

  return {
    room() {
      const holding = holdersOf([...running.values()], waiting);
      const free = concurrency - holding.length;
      return { free, closedLanes: closedLanesOf(holding, free) };
    },
    begin(job, work) {
      const entry: RunningJob = { ...job, isWaiting: false };
      running.set(job.id, entry);
      const timer = setTimeout(() => {
        entry.isWaiting = true;
        onFree();
      }, WAITS_AFTER_MS).unref();
      const ended = work().finally(() => {
        clearTimeout(timer);
        works.delete(ended);
        if (running.delete(job.id)) onFree();
      });
      works.add(ended);
    },
    has: (id) => running.has(id),
    ids: () => [...running.keys()],
    clear: () => running.clear(),
    ended: () => Promise.all(works),
  };
}

/** The jobs that hold a slot: all but those that wait for a service, up to so many. */
function holdersOf(running: readonly RunningJob[], waiting: number): readonly TakenJob[] {
  let left = waiting;
  return running.filter(({ isWaiting }) => !isWaiting || left-- <= 0);
}

function closedLanesOf(holding: readonly TakenJob[], free: number): string[] {
  const held = new Map<string, number>();
  for (const { lane } of holding) if (lane !== null) held.set(lane, (held.get(lane) ?? 0) + 1);
  return [...held].filter(([, count]) => count >= free * MOST_HELD_PER_FREE).map(([lane]) => lane);
}
