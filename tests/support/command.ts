import { tmpdir } from 'node:os';
import { answer } from '../../src/commands/command-line.ts';
import type { Ran } from './ran.ts';

/**
 * A command as `src/cli.ts` runs it, in this process and so without its half second of starting. A
 * process has one environment: commands that run at the same time are given the same one.
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  process.env = { PATH, TMPDIR, NODE_COMPILE_CACHE, ...env };
  // Elsewhere than in the checkout, whose `.env` is not ours.
  process.chdir(tmpdir());
  const { stdout, stderr, exitCode } = await answer(args);
  return {
    code: exitCode,
    stdout: stdout === undefined ? '' : `${stdout}\n`,
    stderr: stderr === undefined ? '' : `${stderr}\n`,
    get json() {
      return JSON.parse(stdout ?? '');
    },
  };
}
