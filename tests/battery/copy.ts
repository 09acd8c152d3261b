/** Copies of the project that mutants may break. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

const COPIED = [
  '.npmrc',
  'README.md',
  'deploy',
  'docs',
  'panel',
  'scripts',
  'src',
  'sheets',
  'simulators',
  'snippets',
  'tests',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

const BUILT = 'panel/dist';
const OF_PANEL = ['panel/'];
/** What `tests/support/test-server.ts` prepares databases with. */
const OF_TEMPLATE = ['src/platform/db/', 'src/platform/queue', 'src/exchange/jobs/'];

export interface Copy {
  readonly folder: string;
  /** @returns what was wrong with the patch; null when it is applied */
  apply(patch: string): string | null;
  /** Whether the template of the tests' databases would be another one with the patch. */
  isOfTemplate(patch: string): boolean;
  /** Takes the patch away again. */
  restore(patch: string): void;
  remove(): void;
}

export function makeCopy(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-battery-'));
  // The embedded database may run as a user who must be able to pass.
  chmodSync(folder, 0o755);
  for (const name of COPIED) cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  const patching = (patch: string, ...options: string[]) =>
    ['apply', ...options, pathOf(patch)] as const;
  return {
    folder,
    apply(patch) {
      const { status, stderr, error } = spawnSync('git', patching(patch), {
        cwd: folder,
        encoding: 'utf8',
      });
      if (status !== 0) return error?.message ?? stderr.trim();
      if (touches(patch, OF_PANEL)) buildPanel(folder);
      return null;
    },
    isOfTemplate: (patch) => touches(patch, OF_TEMPLATE),
    restore(patch) {
      execFileSync('git', patching(patch, '--reverse'), { cwd: folder });
      if (touches(patch, OF_PANEL))
        cpSync(join(CHECKOUT, BUILT), join(folder, BUILT), { recursive: true });
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function pathOf(patch: string): string {
  return join(CHECKOUT, 'tests/mutants', `${patch}.patch`);
}

function touches(patch: string, places: readonly string[]): boolean {
  const text = readFileSync(pathOf(patch), 'utf8');
  return places.some((place) => text.includes(`+++ b/${place}`));
}

function buildPanel(folder: string): void {
  execFileSync(process.execPath, ['scripts/build-panel.ts'], { cwd: folder, stdio: 'ignore' });
}
