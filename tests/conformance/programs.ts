import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Ended {
  readonly code: number;
  readonly output: string;
}

interface Options {
  /** Called after each piece of output, with all that was said so far. */
  readonly onOutput?: (output: string) => void;
  /** Kept from the terminal. */
  readonly isQuiet?: boolean;
}

const PROGRAMS = new URL('node_modules/.bin/', import.meta.url);

/** Runs a program of this folder's own packages, on our Node. */
export function run(
  program: string,
  args: readonly string[],
  options: Options = {},
): Promise<Ended> {
  const shown = args.filter((arg) => !arg.startsWith('Authorization')).join(' ');
  process.stdout.write(`\n── ${program} ${shown}\n`);
  const file = fileURLToPath(new URL(program, PROGRAMS));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
    if (!options.isQuiet) process.stdout.write(piece);
    options.onOutput?.(output);
  });
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code: code ?? 1, output })),
  );
}
