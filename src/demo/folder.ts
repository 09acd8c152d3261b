/** The demo's files in its data folder, beside the database. */
import { randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '../app/runtime.ts';
import { LOCAL_KEY_FILE } from '../commands/command.ts';

const ORGANIZATION_FILE = 'demo.json';

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

/** The demo's organisation of an earlier run. */
export function rememberedOrganization(dataDir: string): string | null {
  try {
    return JSON.parse(read(dataDir, ORGANIZATION_FILE) ?? 'null')?.organization_id ?? null;
  } catch {
    return null;
  }
}

export function rememberOrganization(dataDir: string, id: string): void {
  const draft = writeDraft(dataDir, ORGANIZATION_FILE, JSON.stringify({ organization_id: id }));
  renameSync(draft, join(dataDir, ORGANIZATION_FILE));
}

/** The database's real folder: below a folder closed to other users it is elsewhere. */
export function databaseFolder(dataDir: string): string {
  return realpathSync(join(dataDir, 'postgres'));
}

/** Where the demo's mails are. */
export function mailFolder(dataDir: string): string {
  return resolve(dataDir, 'mail');
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

function writeDraft(dataDir: string, name: string, text: string): string {
  const draft = join(dataDir, `${name}.${process.pid}`);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  return draft;
}

function read(dataDir: string, name: string): string | null {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
