import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../app/runtime.ts';
import { LOCAL_KEY_FILE } from '../commands/command.ts';
import { read, writeDraft } from './folder.ts';

/**
 * The folder's own master key, made at its first use. A half-written one never appears under its
 * name.
 */
export function masterKey(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true });
    return read(dataDir, LOCAL_KEY_FILE) ?? makeKey(dataDir);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `No se puede escribir en la carpeta de datos ${dataDir} (${reason}). Elige otra con DATA_DIR.`,
      { cause },
    );
  }
}

function makeKey(dataDir: string): string {
  const draft = writeDraft(dataDir, LOCAL_KEY_FILE, `${randomBytes(32).toString('base64')}\n`);
  try {
    linkSync(draft, join(dataDir, LOCAL_KEY_FILE));
  } catch (error) {
    // Another demo made one at the same moment: that one counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read(dataDir, LOCAL_KEY_FILE) as string;
}
