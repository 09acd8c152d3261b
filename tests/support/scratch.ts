import { existsSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** A run's databases take about two, at most four at once. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * An empty folder for a run's databases and files, in memory where there is room: a database has
 * hundreds of files, and creating those on a disk takes longer than most tests.
 */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(hasRoom() ? MEMORY : tmpdir(), 'tianguis-test-'));
  // A folder closed to others would send root's database to /var/lib.
  await chmod(folder, 0o755);
  return folder;
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
}
