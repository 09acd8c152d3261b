/** As which system user the embedded PostgreSQL runs. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../retry.ts';
import { EmbeddedError, type Log } from './embedded-error.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, and a shared user such as `nobody` would let other daemons
 * read every order.
 */
const DATABASE_USER = 'tianguis-db';

/** `useradd` belongs to the base system of Debian and Red Hat. */
const ADD_USER = [
  '--system',
  '--user-group',
  '--no-create-home',
  '--home-dir=/nonexistent',
  '--shell=/usr/sbin/nologin',
  DATABASE_USER,
];
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
const ATTEMPTS = 5;
const RETRY_MS = 500;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Ourselves. For root it is the owner of the folder, where an ordinary user made it, else a system
 * user that exists for this alone; the first start creates it.
 */
export async function databaseUser(home: string, log: Log): Promise<SystemUser> {
  if (!isRoot()) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const owner = statSync(home, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findUser() ?? (await createUser(log));
}

/**
 * The names of whom the kernel may see at the other end of the socket: root, and the user of the
 * database.
 */
export function namesOf({ uid }: SystemUser): string[] {
  try {
    return [...new Set(['root', ask('id', '-un', String(uid))])];
  } catch (cause) {
    if (isRoot()) return ['root'];
    const message = `El usuario ${uid} no tiene nombre en este equipo, y PostgreSQL lo necesita: agrégalo a /etc/passwd.`;
    throw new EmbeddedError(message, { cause });
  }
}

function findUser(): SystemUser | null {
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return null; // `id` fails for a name that does not exist
  }
}

function idOf(flag: '-u' | '-g'): number {
  const id = Number.parseInt(ask('id', flag, DATABASE_USER), 10);
  if (!(id > 0)) throw new Error(`id ${flag} ${DATABASE_USER}: ${id}`);
  return id;
}

/** @returns what the program printed; its failure holds what it said. */
function ask(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', env: ENVIRONMENT, stdio: 'pipe' }).trim();
}

async function createUser(log: Log): Promise<SystemUser> {
  const tryOnce = async () => {
    let cause: unknown;
    try {
      ask('useradd', ...ADD_USER);
      log(`Se creó el usuario de sistema ${DATABASE_USER} para la base de datos`);
    } catch (error) {
      cause = error;
    }
    // Another start may have created it, or may still hold the lock on /etc/passwd.
    const user = findUser();
    if (!user) throw notCreated(cause);
    return user;
  };
  return retry(tryOnce, (_, attempts) => (attempts < ATTEMPTS ? RETRY_MS : null), sleep);
}

function notCreated(cause: unknown): EmbeddedError {
  const message =
    `PostgreSQL no funciona como root y no se pudo crear para él el usuario ${DATABASE_USER} (${reasonOf(cause)}). ` +
    `Créalo con «useradd ${ADD_USER.join(' ')}», inicia Tianguis con un usuario común o indica un servidor en DATABASE_URL.`;
  return new EmbeddedError(message, { cause });
}

function reasonOf(cause: unknown): string {
  const said = (cause as { stderr?: string }).stderr?.trim();
  return said || (cause instanceof Error ? cause.message : String(cause));
}
