/** The demo's files in its data folder, beside the database. */
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SHOP_FILE = 'demo.json';

/** What the demo keeps from one run to the next. */
interface RememberedShop {
  readonly organization_id?: string;
  /** The first one of the demo's user. */
  readonly password?: string;
}

/** The demo's organisation of an earlier run. */
export function rememberedOrganization(dataDir: string): string | null {
  return remembered(dataDir).organization_id ?? null;
}

export function rememberOrganization(dataDir: string, id: string): void {
  remember(dataDir, { organization_id: id });
}

export function rememberedPassword(dataDir: string): string | null {
  return remembered(dataDir).password ?? null;
}

export function rememberPassword(dataDir: string, password: string): void {
  remember(dataDir, { password });
}

function remembered(dataDir: string): RememberedShop {
  try {
    return JSON.parse(read(dataDir, SHOP_FILE) ?? 'null') ?? {};
  } catch {
    return {};
  }
}

function remember(dataDir: string, more: RememberedShop): void {
  const shop = JSON.stringify({ ...remembered(dataDir), ...more });
  renameSync(writeDraft(dataDir, SHOP_FILE, shop), join(dataDir, SHOP_FILE));
}

/** The database's real folder: below a folder closed to other users it is elsewhere. */
export function databaseFolder(dataDir: string): string {
  return realpathSync(join(dataDir, 'postgres'));
}

/** Where the demo's mails are. */
export function mailFolder(dataDir: string): string {
  return resolve(dataDir, 'mail');
}

export function writeDraft(dataDir: string, name: string, text: string): string {
  const draft = join(dataDir, `${name}.${process.pid}`);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  return draft;
}

export function read(dataDir: string, name: string): string | null {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
