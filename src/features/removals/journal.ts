import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/seal.ts';
import { openSealedFile, SealedFileError, sealFile } from '../../platform/sealed-file.ts';
import { type Removal, removalOf } from './removals.ts';
import * as store from './store.ts';

/** In `DATA_DIR`. */
export const JOURNAL = 'removals.tianguis';

const FORMAT = 'tianguis-removals-1';
const OWNER_ONLY = 0o600;
const ROWS_AT_ONCE = 1_000;

interface JournalParts {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'current'>;
  readonly clock: Clock;
  readonly file: string;
}

/**
 * Writes the journal where it lacks a removal or is lost: the whole file anew, sealed, on the disk
 * before it takes the place of the former one.
 * @returns whether it did
 */
export async function writeJournal({
  database,
  keyring,
  clock,
  file,
}: JournalParts): Promise<boolean> {
  if (!(await database.read((handle) => isLacking(handle, file)))) return false;
  await database.locks.holding({ kind: 'removals', subject: 'journal' }, async (assertHeld) => {
    const rows = await database.read(store.all);
    const lines = rows.map(({ at, subject, ...row }) =>
      JSON.stringify({ ...row, at: at.toString(), subject: JSON.parse(subject) }),
    );
    const about = { format: FORMAT, written_at: clock.now().toString() };
    await replace(file, sealFile(keyring, about, linesOf(lines)), assertHeld);
    const ids = rows.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += ROWS_AT_ONCE)
      await database.write((handle) =>
        store.markWritten(handle, ids.slice(at, at + ROWS_AT_ONCE), clock.now()),
      );
  });
  return true;
}

async function isLacking(handle: Handle, file: string): Promise<boolean> {
  return (await store.hasUnwritten(handle)) || (!existsSync(file) && (await store.hasAny(handle)));
}

/** The removals of a journal, oldest first. @throws SealedFileError */
export async function readJournal(
  keyring: Keyring,
  bytes: AsyncIterable<Buffer>,
): Promise<Removal[]> {
  const { about, content } = await openSealedFile(keyring, bytes);
  if ((about as { format?: unknown } | null)?.format !== FORMAT) throw new SealedFileError('other');
  const text = Buffer.concat(await Array.fromAsync(content)).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => removalOf(JSON.parse(line)));
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<Buffer> {
  for (let at = 0; at < lines.length; at += ROWS_AT_ONCE)
    yield Buffer.from(`${lines.slice(at, at + ROWS_AT_ONCE).join('\n')}\n`);
}

async function replace(
  file: string,
  bytes: AsyncIterable<Buffer>,
  assertHeld: () => void,
): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, 'w', OWNER_ONLY);
  try {
    for await (const chunk of bytes) await handle.appendFile(chunk);
    await handle.sync();
    assertHeld();
    await rename(part, file);
  } finally {
    await handle.close();
    await rm(part, { force: true });
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}
