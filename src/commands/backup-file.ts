import { createReadStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { openBackup } from '../features/backup/index.ts';
import { fail, invalid } from '../platform/failure.ts';
import { freeFile } from './out-file.ts';

const OWNER_ONLY = 0o600;

/** A backup never replaces another file. */
export async function newFile(file: string): Promise<string> {
  await freeFile(file);
  if (await exists(file)) throw alreadyThere(file);
  return file;
}

/** @throws Failure not_found */
export async function reading(file: string): Promise<AsyncIterable<Buffer>> {
  if (!(await exists(file))) throw fail('not_found', { message: `No existe el archivo ${file}.` });
  return createReadStream(file, { highWaterMark: 1 << 18 });
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/**
 * The file appears under its name when it is whole and on the disk. The backup begins when there is a file.
 * @returns how many bytes
 */
export async function writeBackup(file: string, begin: () => ReturnType<typeof openBackup>) {
  const part = `${file}.part`;
  const handle = await open(part, 'wx', OWNER_ONLY).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw invalid(
      'file',
      `Otra copia se escribe en ${part}, o quedó cortada: elimínala y repite la orden.`,
    );
  });
  let bytes = 0;
  try {
    const backup = await begin();
    for await (const chunk of backup.bytes) bytes += (await handle.write(chunk)).bytesWritten;
    await handle.sync();
    await appear(part, file);
    return { bytes, backup };
  } finally {
    await rm(part, { force: true });
    await handle.close();
  }
}

/** Under its name, where no file is, also after a loss of power. */
async function appear(part: string, file: string): Promise<void> {
  await link(part, file).catch((error) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(file) : error;
  });
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

function alreadyThere(file: string): Error {
  return invalid('file', `Ya existe ${file}. Elige otro nombre o elimínalo antes.`);
}
