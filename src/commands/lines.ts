import { open } from 'node:fs/promises';
import { fail } from '../platform/failure.ts';

/** One line of a file: its text, or in Spanish why it has none. */
type FileLine = { readonly text: string } | { readonly fault: string };

/** What a command answers that could read none of its lines. */
export const NOTHING_READ = 2;
const MOST_BYTES = 5 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file, or of the standard input for `-`, and a bar that shows how far they are read.
 * @throws Failure not_found
 */
export async function openLines(file: string, things: string) {
  if (file === '-') return { lines: readLines(process.stdin), progress: () => {} };
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
  return {
    lines: readLines(input),
    progress: (read: number) => drawProgress(input.bytesRead, found.size, `${read} ${things}`),
  };
}

function drawProgress(bytes: number, size: number, read: string): void {
  if (!process.stderr.isTTY) return;
  const part = size === 0 ? 1 : Math.min(1, bytes / size);
  const bar = '█'.repeat(Math.round(part * 30)).padEnd(30, '░');
  process.stderr.write(`\r${bar} ${Math.round(part * 100)} % · ${read}${part === 1 ? '\n' : ''}`);
}

/**
 * Cuts bytes into lines at newlines alone: other separators, such as U+2028, may stand inside a JSON text.
 * A line that is too long is passed over without being held, one that is not UTF-8 is never guessed at.
 */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
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
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield finish();
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
