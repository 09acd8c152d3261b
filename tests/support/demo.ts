import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/demo.ts', import.meta.url));
const PATIENCE_MS = 200_000;

/** A demo in a process of its own. */
interface DemoProcess {
  readonly child: ChildProcess;
  /** What it wrote for programs and, without `--json`, the words of a ready demo. */
  output(): string;
  /** Its progress. */
  progress(): string;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Resolves when the demo has said that it is ready. */
export async function startDemo(
  dataDir: string,
  options: readonly string[] = [],
): Promise<DemoProcess> {
  const { PATH } = process.env;
  const env = { PATH, PORT: '0', DATA_DIR: dataDir };
  const child = spawn(process.execPath, [PROGRAM, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, progress] = [gather(child.stdout), gather(child.stderr)];
  const demo: DemoProcess = {
    child,
    output,
    progress,
    async stop(signal) {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
  try {
    await eventually('a ready demo', async () => {
      assert.equal(child.exitCode, null, `the demo ended: ${progress()}`);
      return output().includes('\n');
    });
  } catch (error) {
    await demo.stop('SIGKILL');
    throw error;
  }
  return demo;
}

export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; !(await holds()); await sleep(100))
    assert.ok(performance.now() < deadline, `waited in vain for ${what}`);
}

function gather(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (part) => {
    text += part;
  });
  return () => text;
}
