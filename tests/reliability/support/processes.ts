/** Real processes: instances, writers and servers that a test starts, kills and always ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pauses } from '../../spec/support/soon.ts';

/** Where work for the end is left. */
export interface Ending {
  after(work: () => unknown): void;
}

/** What was opened last is closed first. */
export function lastFirst(t: Ending): Ending {
  const stack: (() => unknown)[] = [];
  t.after(async () => {
    for (const work of stack.reverse()) await work();
  });
  return { after: (work) => void stack.push(work) };
}

/** Gets every line; true = it is dealt with and need not be kept. */
type Hearer = (line: string) => boolean;

export interface Running {
  readonly child: ChildProcess;
  /**
   * The first `MOST_LINES` of standard output and errors, but for the lines of single requests and
   * jobs.
   */
  readonly lines: readonly string[];
  readonly hasEnded: () => boolean;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

export interface RunningInstance extends Running {
  readonly url: string;
}

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
const LEASH = new URL('./leash.ts', import.meta.url).href;
const STARTED_WITHIN_MS = 60_000;
const MOST_LINES = 5_000;
const ROUTINE = /"msg":"(request|job done|stream walked)"/;

/** Nothing listens there: instances that need no counter of their own may share it. */
export const NO_REDIS = 'redis://127.0.0.1:1';
export const MASTER_KEY = randomBytes(32).toString('base64');

/** Starts a program of the checkout, in TypeScript; killed after the test if it still runs. */
export function startProgram(
  t: Ending,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onLine: Hearer = () => false,
): Running {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--import', LEASH, file, ...args], {
    cwd: CHECKOUT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  return follow(t, child, onLine);
}

export function follow(t: Ending, child: ChildProcess, onLine: Hearer = () => false): Running {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface(stream).on('line', (line) => {
      const isKept = !onLine(line) && !ROUTINE.test(line);
      if (isKept && lines.length < MOST_LINES) lines.push(line);
    });
  }
  // A program that was killed no longer reads.
  child.stdin?.on('error', () => {});
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  const end = (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal);
    return ended;
  };
  t.after(() => end('SIGKILL'));
  return { child, lines, hasEnded, ended, end };
}

/**
 * An instance in a process of its own, ready.
 * @param options.program of another release
 */
export async function startInstance(
  t: Ending,
  env: Readonly<Record<string, string>>,
  { program, onLine }: { readonly program?: string; readonly onLine?: Hearer } = {},
): Promise<RunningInstance> {
  let url: string | null = null;
  const running = launchInstance(
    t,
    env,
    (line) => {
      if (url === null && line.includes('"msg":"ready"'))
        url = (JSON.parse(line) as { url: string }).url;
      return onLine?.(line) ?? false;
    },
    program,
  );
  const ready = await eventually(() => url !== null || running.hasEnded(), STARTED_WITHIN_MS);
  if (!ready || url === null)
    throw new Error(`the instance did not start:\n${running.lines.join('\n')}`);
  return { ...running, url };
}

/** An instance that may well refuse to start. */
export function launchInstance(
  t: Ending,
  env: Readonly<Record<string, string>>,
  onLine?: Hearer,
  program = 'src/main.ts',
): Running {
  return startProgram(t, program, [], { PORT: '0', MASTER_KEY, ...env }, onLine);
}

/** Whether it became true in time. @param every absent = as `pauses` says */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  milliseconds: number,
  every?: number,
): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  const next = pauses();
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await sleep(every ?? next());
  }
  return true;
}

/** The exit code or signal; null when it has not come in time. */
export function endOf(
  running: Running,
  milliseconds: number,
): Promise<number | NodeJS.Signals | null> {
  return Promise.race([running.ended, sleep(milliseconds, null, { ref: false })]);
}
