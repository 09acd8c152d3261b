import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { get, openLine } from './load.ts';

/** A server in a process of its own; disposing of it ends the process and waits for that. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first 200. */
  readonly startedIn: number;
}

interface Program {
  /** A file of ours, or a program of another kind. */
  readonly file?: string;
  readonly program?: string;
  readonly args?: readonly string[];
  readonly environment: Record<string, string>;
  /** Polled until it answers 200. */
  readonly firstRequest: Buffer;
  readonly logFile?: string;
  /** Where it runs; ours without. */
  readonly folder?: string;
}

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 2;
/** A report of Lighthouse has its pictures in it. */
const MOST_OUTPUT_BYTES = 64 * 2 ** 20;
const children = new Set<ChildProcess>();

/** Ends whatever was started here and still runs. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end));
}

export async function start(program: Program): Promise<Served> {
  const { file = '', program: other, args = [], environment, firstRequest, logFile } = program;
  const cwd = program.folder ?? process.cwd();
  const name = other ?? file;
  const port = await freePort();
  const log = logFile ? openSync(logFile, 'w') : 'inherit';
  const began = performance.now();
  const child = track(
    spawn(other ?? process.execPath, other ? [...args] : [file, ...args], {
      cwd,
      env: { ...process.env, ...environment, PORT: String(port) },
      stdio: ['ignore', log, log],
    }),
  );
  while (!(await answers(port, firstRequest))) {
    if (!children.has(child) || performance.now() - began > PATIENCE_MS) {
      await end(child);
      throw new Error(`${name} did not start${logFile ? `, see ${logFile}` : ''}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  const startedIn = performance.now() - began;
  return { port, pid: child.pid as number, startedIn, [Symbol.asyncDispose]: () => end(child) };
}

/** The product as `npm start` runs it, whose shell becomes the process; its log, one line a request, goes to a file. */
export function startInstance(
  environment: Record<string, string>,
  firstRequest = get('/healthz'),
): Promise<Served> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return start({
    program: 'sh',
    args: ['-c', scripts.start],
    environment,
    firstRequest,
    logFile: 'data/bench/instance.log',
  });
}

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Counts alone, nothing on the disk. */
export async function startRedis(): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = track(spawn('redis-server', args, { stdio: 'ignore' }));
  const began = performance.now();
  while (!(await isOpen(port))) {
    if (performance.now() - began > PATIENCE_MS) throw new Error('redis-server did not start');
    await sleep(LOOK_EVERY_MS);
  }
  return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => end(child) };
}

/** Runs a file of ours until it is disposed of. */
export function startProgram(
  file: string,
  args: readonly string[],
  environment: Record<string, string>,
): AsyncDisposable & { hasEnded(): boolean } {
  const env = { ...process.env, ...environment };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const child = track(spawn(process.execPath, [file, ...args], { env, stdio: [...stdio] }));
  return { hasEnded: () => !children.has(child), [Symbol.asyncDispose]: () => end(child) };
}

/** Runs a program to its end. @returns what it wrote */
export async function run(
  program: string,
  args: string[],
  environment = {},
  folder = process.cwd(),
): Promise<string> {
  const running = promisify(execFile)(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  track(running.child);
  return (await running).stdout;
}

/** Seconds of processor time that a process has used; Linux only, else 0. */
export function processorSeconds(pid: number): number {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** The same to the nanosecond, of the threads that a process has now. */
export function threadSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return 0;
  return readdirSync(tasks).reduce((sum, task) => {
    const [nanoseconds = 0] = readOrEmpty(`${tasks}/${task}/schedstat`).split(' ').map(Number);
    return sum + nanoseconds / 1e9;
  }, 0);
}

export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function track(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (!children.has(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function answers(port: number, request: Buffer): Promise<boolean> {
  if (!(await isOpen(port))) return false;
  const line = openLine(port);
  try {
    return (await line.ask(request)).status === 200;
  } finally {
    line.close();
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
