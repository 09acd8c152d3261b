import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OWNER, writeAccess } from './embedded-access.ts';
import { EmbeddedError } from './embedded-error.ts';
import { type EmbeddedPaths, ENVIRONMENT } from './embedded-paths.ts';
import { readLines } from './embedded-postmaster.ts';

// The folder of the data: made by initdb, and of one major version.

const INITDB = [
  `--username=${OWNER}`,
  '--auth-local=peer',
  '--auth-host=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/** A cluster appears whole or not at all: it is made under another name. */
export async function createCluster(
  { home, cluster, as }: EmbeddedPaths,
  bin: string,
): Promise<void> {
  const draft = fs.mkdtempSync(join(home, 'initdb-'));
  fs.chownSync(draft, as.uid, as.gid);
  try {
    await promisify(execFile)(join(bin, 'initdb'), [...INITDB, '-D', draft], {
      cwd: home,
      env: ENVIRONMENT,
      ...as,
    });
  } catch (cause) {
    const { message } = cause as Error;
    throw new EmbeddedError(`PostgreSQL no pudo crear la carpeta ${cluster}. ${message}`, {
      cause,
    });
  }
  writeAccess(draft, as);
  fs.renameSync(draft, cluster);
  flush(home);
}

/** The new name must be on the disk before the first commit is acknowledged. */
function flush(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/** Traces of processes that were killed while they prepared something. */
export function removeLeftovers(home: string): void {
  for (const name of fs.readdirSync(home).filter((each) => /^(initdb|copy)-/.test(each))) {
    try {
      fs.rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // An initdb that outlived its instance still writes there; the next start removes it.
    }
  }
}

/**
 * Another major version neither reads nor changes the folder; what reads it is said with the
 * package that it came in.
 */
export function checkVersion(paths: EmbeddedPaths): void {
  const { cluster, shipped } = paths;
  if (!fs.existsSync(cluster)) return;
  const [theirs = '(?)'] = readLines(join(cluster, 'PG_VERSION'));
  const ours = shipped.version.split('.')[0];
  if (theirs === ours) return;
  const [last] = readLines(versionFile(paths));
  const found = last ? '' : ` (la versión exacta está en: npm view ${shipped.name} versions)`;
  throw new EmbeddedError(
    `La carpeta de datos ${cluster} es de PostgreSQL ${theirs} y este programa trae PostgreSQL ${ours}. ` +
      `Para seguir trabajando con ella: npm install --no-save ${shipped.name}@${last || `${theirs}.x`}${found}. ` +
      'Para pasarla a la versión nueva, sigue los pasos de docs/running.md, «Another version of PostgreSQL».',
  );
}

/** The version of the binaries that worked on the folder last. */
function versionFile({ home }: EmbeddedPaths): string {
  return join(home, 'version');
}

/** Not written again and again: on a full disk that would leave an empty file. */
export function noteVersion(paths: EmbeddedPaths): void {
  const [former] = readLines(versionFile(paths));
  if (former !== paths.shipped.version) fs.writeFileSync(versionFile(paths), paths.shipped.version);
}
