import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { TurnedClock } from '../clock.ts';
import type { Ask, Call, Ran, RunOptions, Seen, SeenTab } from './protocol.ts';
import type { Fetched, FetchOptions } from './services.ts';

/**
 * A spreadsheet at Google with the template pasted into its script. The emulation runs in a thread
 * of its own, since a script waits for each answer; it asks the app over HTTP.
 */
export interface Google {
  /** Runs a function of the script, as the menu, a trigger or the opened file does. */
  run(name: string, options?: RunOptions): Promise<Ran>;
  /** Lets time pass, and fires what is due. @returns what ran */
  pass(duration: Temporal.DurationLike): Promise<Ran[]>;
  look(): Promise<Seen>;
  /** An empty spreadsheet with the same script. */
  reset(): Promise<void>;
  tab(name: string): Promise<SeenTab>;
  /** What a person does by hand in the sheet. */
  edit(change: Extract<Ask, { ask: 'edit' }>['change']): Promise<void>;
}

interface GoogleOptions {
  /** The text that is pasted. */
  readonly script: string;
  readonly clock: TurnedClock;
  /** Before each call of the app; false = its answer is lost. */
  readonly beforeFetch?: (url: string) => unknown;
}

export async function openGoogle(
  t: Pick<TestContext, 'after'>,
  { script, clock, beforeFetch }: GoogleOptions,
): Promise<Google> {
  const { port1: own, port2: theirs } = new MessageChannel();
  const signal = new SharedArrayBuffer(4);
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { script, port: theirs, signal },
    transferList: [theirs],
  });
  answerCalls(own, signal, async ({ url, options, elapsedMs }) => {
    clock.advance({ milliseconds: elapsedMs });
    if (url === null) return null;
    const isHeard = (await beforeFetch?.(url)) !== false;
    const answer = await fetchOnce(url, options);
    return isHeard ? answer : null;
  });
  t.after(() => worker.terminate());
  const askOnce = async (asked: Ask): Promise<unknown> => {
    worker.postMessage({ ...asked, now: clock.millis() });
    const [answer] = await once(worker, 'message');
    if ('failed' in answer) throw new Error(answer.failed);
    return answer.answer;
  };
  let former: Promise<unknown> = Promise.resolve();
  const ask = (asked: Ask): Promise<unknown> => {
    const answered = former.then(() => askOnce(asked));
    former = answered.catch(() => null);
    return answered;
  };
  const run: Google['run'] = async (name, options = {}) =>
    (await ask({ ask: 'run', name, options })) as Ran;
  const look: Google['look'] = async () => (await ask({ ask: 'look' })) as Seen;

  return {
    run,
    look,
    reset: async () => void (await ask({ ask: 'reset' })),
    tab: async (name) => (await ask({ ask: 'tab', name })) as SeenTab,
    edit: async (change) => void (await ask({ ask: 'edit', change })),
    async pass(duration) {
      const until = clock.now().add(Temporal.Duration.from(duration));
      const ran: Ran[] = [];
      for (;;) {
        const { triggers } = await look();
        const [next] = triggers
          .filter(({ due }) => due !== null)
          .toSorted((one, other) => Number(one.due) - Number(other.due));
        const dueMs = next?.due ?? Number.POSITIVE_INFINITY;
        if (!next || dueMs > until.epochMilliseconds) break;
        clock.advance({ milliseconds: Math.max(0, dueMs - clock.millis()) });
        await ask({ ask: 'fired', id: next.id });
        ran.push(await run(next.handler, { kind: 'trigger' }));
      }
      const left = until.epochMilliseconds - clock.millis();
      if (left > 0) clock.advance({ milliseconds: left });
      return ran;
    },
  };
}

/** The worker waits until its signal is set, and takes the answer then. */
function answerCalls(
  port: MessagePort,
  signal: SharedArrayBuffer,
  answer: (call: Call) => Promise<Fetched | null>,
): void {
  const flag = new Int32Array(signal);
  port.on('message', async (call: Call) => {
    const reply = await answer(call).then(
      (fetched) => ({ fetched }),
      (error) => ({ failed: String(error) }),
    );
    port.postMessage(reply);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
  port.unref();
}

async function fetchOnce(url: string, options: FetchOptions): Promise<Fetched | null> {
  const init = {
    headers: options.headers ?? {},
    redirect: options.followRedirects === false ? ('manual' as const) : ('follow' as const),
  };
  const response = await fetch(url, init).catch(() => null);
  if (!response) return null;
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}
