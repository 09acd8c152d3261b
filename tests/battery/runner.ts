/** Runs test files in processes of their own, as `npm test` does. */
import { spawn } from 'node:child_process';
import { TEMPLATE } from '../support/server.ts';
import { dropDatabases, openTestServer } from '../support/test-server.ts';

export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

type RunTests = (folder: string, file: string, env: NodeJS.ProcessEnv) => Promise<Outcome>;

export interface Runner {
  /** One file after the other: what the one before left on the server is dropped. */
  readonly run: RunTests;
  close(): Promise<void>;
}

/**
 * With a server that is prepared once for all of its files: that takes longer than most of them.
 * @param url absent = an embedded server
 */
export async function openRunner(url?: string): Promise<Runner> {
  const { address, close } = await openTestServer(url);
  return {
    async run(folder, file, env) {
      await dropDatabases(address, { but: TEMPLATE });
      return runTests(folder, file, { ...env, TEST_SERVER: JSON.stringify(address) });
    },
    close,
  };
}

/** Prepares a server for this file alone, with the sources of the folder. */
export function runTests(folder: string, file: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { DATABASE_URL: _, ...rest } = env;
  const began = performance.now();
  const child = spawn(process.execPath, ['tests/run.ts', file], {
    cwd: folder,
    env: rest,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code: code ?? 1, output, seconds: (performance.now() - began) / 1000 }),
    );
  });
}
