import { type FileHandle, readFile, rename, writeFile } from 'node:fs/promises';
import { type Progress, progressIn } from './part.ts';

export const OWNER_ONLY = 0o600;

/** Beside a part that is on the disk. */
export async function writeNotes(notes: string, kept: Progress): Promise<void> {
  await writeFile(`${notes}.new`, JSON.stringify(kept), { mode: OWNER_ONLY, flush: true });
  await rename(`${notes}.new`, notes);
}

/** Null where there is none, or it is of something else, or the file is shorter than it says. */
export async function keptIn(
  notes: string,
  of: string,
  part: FileHandle,
): Promise<Progress | null> {
  const text = await readFile(notes, 'utf8').catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  const kept = progressIn(text, of);
  return kept && (await part.stat()).size < kept.bytes ? null : kept;
}
