/** An earlier release of this program, from the history of git. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from './ground.ts';
import type { Ending } from './processes.ts';

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
const MIGRATIONS = 'src/platform/db/migrations';

interface Former {
  readonly commit: string;
  /** How many migrations were added since. */
  readonly migrationsSince: number;
}

/** The oldest commit with the present dependencies; null where there is no history. */
function findFormer(): Former | null {
  const commit = git('log', '-1', '--format=%H', '--', 'package-lock.json');
  if (!commit) return null;
  const now = globSync('[0-9]*.ts', { cwd: join(CHECKOUT, MIGRATIONS) }).length;
  const names = git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`) ?? '';
  const then = names.split('\n').filter((name) => /\/\d+-[^/]+\.ts$/.test(name)).length;
  return { commit, migrationsSince: now - then };
}

export const FORMER = findFormer();

/** Why there is no former release to try; false when there is. */
export const noFormer: string | false = FORMER?.migrationsSince
  ? false
  : 'needs the history of git, with a migration since package-lock.json changed';

/** A checkout of the former release; removed after the test. @returns its folder */
export function checkOutFormer(own: Ending): string {
  const folder = makeFolder(own);
  const archive = join(folder, 'former.tar');
  execFileSync('git', ['archive', '-o', archive, FORMER?.commit ?? ''], { cwd: CHECKOUT });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** From now on its databases have the schema of the present release. */
export function giveSchema(folder: string): void {
  rmSync(join(folder, MIGRATIONS), { recursive: true });
  cpSync(join(CHECKOUT, MIGRATIONS), join(folder, MIGRATIONS), { recursive: true });
}

/** @returns null where git has no answer */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
