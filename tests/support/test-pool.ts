import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { inspect } from 'node:util';

/** An event of `node:test`, as a process of tests sends it. */
export interface ReportedEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly nesting?: number;
    readonly todo?: string | boolean;
    readonly details?: { readonly duration_ms?: number; readonly type?: string };
    /** The error as text, and what kind of failure it is. */
    readonly failure?: { readonly text: string; readonly failureType?: string | undefined };
  };
}

export interface FileResult {
  readonly success: boolean;
  /** Tests by outcome: `tests`, `passed`, `skipped` … */
  readonly counts: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export interface RanFile extends FileResult {
  readonly file: string;
  readonly events: readonly ReportedEvent[];
}

const PROCESS = new URL('test-process.ts', import.meta.url);
/**
 * Most of what tests make is soon garbage; with more room for the young, a quarter less of the time
 * goes into collecting it.
 */
const NODE_OPTIONS = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  // Tags of tests are an experiment of this version.
  '--disable-warning=ExperimentalWarning',
];
/**
 * For one file: longer than for one test, which reports itself. The long profile of the battery
 * stores a million orders.
 */
const MOST_MILLISECONDS = process.env.BATTERY === 'long' ? 7_200_000 : 900_000;

interface PoolSettings {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly processes: number;
}

/**
 * Runs test files in their order, in a few processes that each take the next one.
 * @param onFile receives each file when it has ended, with all of its events
 */
export async function runFiles(
  files: readonly string[],
  { env, signal, processes }: PoolSettings,
  onFile: (ran: RanFile) => void,
): Promise<void> {
  const left = [...files];
  const lane = async () => {
    let child: ChildProcess | null = null;
    for (let file = left.shift(); file && !signal.aborted; file = left.shift()) {
      child ??= fork(PROCESS, {
        env,
        serialization: 'advanced',
        execArgv: [...process.execArgv, ...NODE_OPTIONS],
      });
      onFile(await runIn(child, file, signal));
      if (!child.connected) child = await ended(child);
    }
    await ended(child);
  };
  await Promise.all(Array.from({ length: processes }, lane));
}

function runIn(child: ChildProcess, file: string, signal: AbortSignal): Promise<RanFile> {
  const events: ReportedEvent[] = [];
  const kill = () => child.kill('SIGKILL');
  const tooLong = setTimeout(kill, MOST_MILLISECONDS);
  signal.addEventListener('abort', kill);
  const began = performance.now();
  const { promise, resolve: done } = Promise.withResolvers<RanFile>();
  const onMessage = (message: { event: ReportedEvent } | { result: FileResult }) => {
    if ('event' in message) events.push(message.event);
    else done({ file, events, ...message.result });
  };
  const onExit = (code: number | null, by: NodeJS.Signals | null) => {
    const seconds = (performance.now() - began) / 1_000;
    const text = `the process of ${file} ended before its tests: ${by ?? `exit code ${code}`}`;
    const counts = { tests: 1, failed: 1 };
    done({
      file,
      events: [...finished(events), failed(file, text)],
      success: false,
      counts,
      seconds,
    });
  };
  child.on('message', onMessage).once('exit', onExit).send(resolve(file));
  return promise.finally(() => {
    clearTimeout(tooLong);
    signal.removeEventListener('abort', kill);
    child.off('message', onMessage).off('exit', onExit);
  });
}

/** Without the starts of tests that did not end. */
function finished(events: readonly ReportedEvent[]): ReportedEvent[] {
  return events.filter(({ type }) => type === 'test:diagnostic');
}

function failed(file: string, text: string): ReportedEvent {
  return { type: 'test:fail', data: { name: file, nesting: 0, details: {}, failure: { text } } };
}

async function ended(child: ChildProcess | null): Promise<null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return null;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  await exit;
  return null;
}

/** The event as reporters take it: with an error that shows its text. */
export function shownEvent({ type, data: { failure, details, ...data } }: ReportedEvent): object {
  if (!failure) return { type, data: { ...data, details } };
  const { text, failureType } = failure;
  const cause = { [inspect.custom]: () => text };
  const error = { code: 'ERR_TEST_FAILURE', failureType, cause };
  return { type, data: { ...data, details: { ...details, error } } };
}
