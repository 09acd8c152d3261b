import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PartFile, Progress } from './part.ts';
import { keptIn, OWNER_ONLY, writeNotes } from './part-notes.ts';

/** Opens the part that was written already, or makes it. */
export async function openPartFile(file: string, of: string): Promise<PartFile> {
  const [part, notes] = [`${file}.part`, `${file}.part.json`];
  const handle = await openToWrite(part);
  try {
    let at = 0;
    const keep = async (kept: Progress) => {
      await handle.sync();
      await writeNotes(notes, kept);
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return open(part, 'wx+', OWNER_ONLY);
    throw error;
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
