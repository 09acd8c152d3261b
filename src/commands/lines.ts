import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { systemClock } from '../platform/clock.ts';
import { fail } from '../platform/failure.ts';

/** One line of a file: its text, or in Spanish why it has none. */
export type FileLine = { readonly text: string } | { readonly fault: string };

/** The exit code of a command that could read none of its lines. */
export const NOTHING_READ = 2;
const MOST_BYTES = 5 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file, or of the standard input for `-`, and a bar that shows how far they are
 * read.
 * @param signal ends the lines, also where the input is waited for
 * @throws Failure not_found
 */
export async function openLines(file: string, things: string, signal: AbortSignal | null = null) {
  if (file === '-') {
    const lines = readLines(process.stdin, signal);
    return { lines, progress: () => {}, leaveBar: () => {} };
  }
  const handle = await open(file).catch(() => null);
  const found = await handle?.stat();
  if (!handle || !found || found.isDirectory()) {
    await handle?.close();
    throw fail('not_found', {
      message: `No se puede leer el archivo ${file}.`,
      details: { exit_code: NOTHING_READ },
    });
  }
  const input = handle.createReadStream();
  const { stderr } = process;
  return {
    lines: readLines(input, signal),
    progress: progressBar(stderr, {
      done: () => (found.size === 0 ? 1 : Math.min(1, input.bytesRead / found.size)),
      things,
    }),
    /** Ends the line of a bar that is not full. */
    leaveBar: () => void (stderr.isTTY && stderr.write('\n')),
  };
}

/** A bar's measures: the part that is done, from 0 to 1, and the things counted. */
interface Measured {
  readonly done: () => number;
  readonly things: string;
}

/** Draws on terminals alone; redirected, it would fill a file. */
function progressBar(out: NodeJS.WriteStream, { done, things }: Measured): (read: number) => void {
  if (!out.isTTY) return () => {};
  const startedAt = systemClock.monotonic();
  return (read) => {
    const part = done();
    const bar = '█'.repeat(Math.round(part * 30)).padEnd(30, '░');
    const left = remaining(systemClock.monotonic() - startedAt, part);
    const line = `${bar} ${Math.round(part * 100)} % · ${numberInWords(read)} ${things}${left && ` · ${left}`}`;
    // Erases the rest of a longer line.
    out.write(`\r${line}\x1b[K${part === 1 ? '\n' : ''}`);
  };
}

/** «faltan 2 min», from the time that the part so far took; empty where that is no basis yet. */
export function remaining(milliseconds: number, part: number): string {
  if (part >= 1 || part < LEAST_PART) return '';
  const seconds = Math.ceil(((milliseconds / part) * (1 - part)) / 1_000);
  return seconds < 60 ? `faltan ${seconds} s` : `faltan ${Math.ceil(seconds / 60)} min`;
}

const LEAST_PART = 0.01;

/** «2,400» */
export function numberInWords(count: number): string {
  return count.toLocaleString('es-MX');
}

const MOST_FAULTS_KEPT = 1_000;

/** What of a file was refused. */
export interface Refusals {
  refused: number;
  /** The first ones. */
  readonly errors: { line: number; message: string }[];
}

export function refuse(to: Refusals, line: number, message: string): void {
  to.refused++;
  if (to.errors.length < MOST_FAULTS_KEPT) to.errors.push({ line, message });
}

const MOST_FAULTS_SHOWN = 20;

/** The first faults, one a line, and how many more there are. */
export function describeFaults(
  faults: readonly { readonly line: number; readonly message: string }[],
  total: number,
): string[] {
  const shown = faults
    .slice(0, MOST_FAULTS_SHOWN)
    .map(({ line, message }) => `  línea ${line}: ${message}`);
  const more = total - shown.length;
  return more > 0 ? [...shown, `  y ${numberInWords(more)} más`] : shown;
}

/**
 * Cuts bytes into lines at newlines only: JSON text may contain other separators, such as U+2028. A
 * line that is too long is skipped without being buffered; one that is not UTF-8 is reported and
 * not guessed at.
 */
async function* readLines(input: Readable, signal: AbortSignal | null): AsyncGenerator<FileLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer) => {
    size += part.length;
    if (size > MOST_BYTES) parts = [];
    else parts.push(part);
  };
  const finish = (): FileLine => {
    const line = size > MOST_BYTES ? TOO_LONG : decode(Buffer.concat(parts));
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of chunksOf(input, signal)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  // An interrupted input ends in the middle of a line.
  if (size > 0 && !signal?.aborted) yield finish();
}

async function* chunksOf(input: Readable, signal: AbortSignal | null): AsyncGenerator<Buffer> {
  signal?.addEventListener('abort', () => input.destroy(), { once: true });
  try {
    yield* input;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

const TOO_LONG: FileLine = { fault: 'La línea pasa de 5 MB.' };
// Drops a byte order mark at the beginning.
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): FileLine {
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { fault: 'La línea no es texto en UTF-8.' };
  }
}
