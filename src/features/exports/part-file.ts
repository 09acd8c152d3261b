import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/** How far a file is written. */
export interface Progress {
  /** Of what: which rows, in which format. Another file's part is not gone on with. */
  readonly of: string;
  /** The name of the snapshot that the rows are read from. */
  readonly snapshot: string;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
  /** Where the walk over the rows goes on. */
  readonly place: unknown;
  readonly rows: number;
  readonly bytes: number;
}

export const Kept = z.object({
  of: z.string(),
  snapshot: z.string(),
  asOf: z.string(),
  place: z.unknown(),
  rows: z.int(),
  bytes: z.int(),
});

/** A file that appears under its name when it is whole, and holds what only its owner may read. */
export interface PartFile {
  /** What is written already of the same thing. */
  readonly kept: Progress | null;
  /** Goes on after so much; what was written beyond it is given up. */
  goOn(from: Progress): Promise<void>;
  write(bytes: string | Buffer): Promise<void>;
  /** How many bytes it has now. */
  size(): number;
  /** What was written so far outlasts this process. */
  keep(progress: Progress): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

const OWNER_ONLY = 0o600;

/** Opens the part that was written already, or makes it. */
export async function openPartFile(file: string, of: string): Promise<PartFile> {
  const [part, notes] = [`${file}.part`, `${file}.part.json`];
  const handle = await openToWrite(part);
  try {
    let at = 0;
    const keep = async (kept: Progress) => {
      await handle.sync();
      await writeFile(`${notes}.new`, JSON.stringify(kept), { mode: OWNER_ONLY, flush: true });
      await rename(`${notes}.new`, notes);
    };
    return {
      kept: await keptIn(notes, of, handle),
      async goOn(from) {
        await handle.truncate(from.bytes);
        at = from.bytes;
        await keep(from);
      },
      keep,
      size: () => at,
      async write(given) {
        const bytes = typeof given === 'string' ? Buffer.from(given) : given;
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
          done += bytesWritten;
          at += bytesWritten;
        }
      },
      async finish() {
        await handle.sync();
        await rename(part, file);
        await syncFolder(dirname(file));
        await rm(notes, { force: true });
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openToWrite(part: string): Promise<FileHandle> {
  try {
    return await open(part, 'r+', OWNER_ONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return open(part, 'wx+', OWNER_ONLY);
    throw error;
  }
}

/** Null where there is none, or it is of something else, or the file is shorter than it says. */
async function keptIn(notes: string, of: string, part: FileHandle): Promise<Progress | null> {
  const text = await readFile(notes, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const kept = Kept.safeParse(jsonOf(text));
  if (!kept.success || kept.data.of !== of) return null;
  return (await part.stat()).size < kept.data.bytes ? null : kept.data;
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
