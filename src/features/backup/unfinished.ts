import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** In `DATA_DIR` from before a restore makes anything until it is whole. */
export const UNFINISHED_RESTORE = 'restore-unfinished';

export function isUnfinished(dataDir: string): boolean {
  return existsSync(join(dataDir, UNFINISHED_RESTORE));
}

/** From then on no service and no command starts on this folder, also after a loss of power. */
export async function beginRestore(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const mark = await open(join(dataDir, UNFINISHED_RESTORE), 'w');
  await mark.sync().finally(() => mark.close());
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
}

export async function endRestore(dataDir: string): Promise<void> {
  await rm(join(dataDir, UNFINISHED_RESTORE));
}
