/**
 * The users of the embedded server: a register that is also the lock under which it is started and
 * stopped.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from './embedded-error.ts';
import { ENVIRONMENT } from './embedded-paths.ts';

interface Register {
  /** Enters this process and answers with the number of the entry. */
  enter(): number;
  /**
   * The last thing to do here. On a full disk the entry stays, and counts as long as this process
   * lives.
   */
  leave(entry: number): void;
  /** Whether no living process but `entry` is in it. */
  isEmpty(entry?: number): boolean;
}

const PATIENCE_MS = 120_000;
const POLL_MS = 15;
const BUSY = 5;
const FULL = 13;

/**
 * Runs `work` while no other process can: SQLite's lock on the file dies with its owner.
 * An entry is kept only when `work` succeeds; those of dead processes do not count.
 */
export async function withRegister<T>(
  home: string,
  work: (register: Register) => Promise<T>,
): Promise<T> {
  const db = await lock(home);
  try {
    db.exec(
      'create table if not exists users (entry integer primary key, pid integer, started text)',
    );
    const result = await work(registerIn(db));
    if (db.isTransaction) db.exec('commit');
    return result;
  } finally {
    db.close();
  }
}

interface LivingProcess {
  /** Distinguishes it from a later process with the same number. */
  readonly started: string;
  readonly command: string;
  /** Its working folder, where the system gives it. */
  readonly folder?: string;
}

export function livingProcess(pid: number): LivingProcess | undefined {
  return existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid);
}

async function lock(home: string): Promise<DatabaseSync> {
  const file = join(home, 'users.sqlite');
  const db = new DatabaseSync(file, { timeout: 0 });
  const deadline = performance.now() + PATIENCE_MS;
  while (!begins(db)) {
    if (performance.now() > deadline) {
      db.close();
      throw new EmbeddedError(
        `Otro proceso tarda demasiado en iniciar o detener PostgreSQL en ${home}.`,
      );
    }
    await sleep(POLL_MS);
  }
  chmodSync(file, 0o600); // another user with read access could hold the lock
  return db;
}

function begins(db: DatabaseSync): boolean {
  try {
    db.exec('begin exclusive');
    return true;
  } catch (error) {
    if (resultOf(error) === BUSY) return false;
    throw error;
  }
}

function registerIn(db: DatabaseSync): Register {
  return {
    enter() {
      for (const { entry } of entriesOf(db).filter((each) => !lives(each)))
        db.prepare('delete from users where entry = ?').run(entry);
      const insert = db.prepare('insert into users (pid, started) values (?, ?)');
      return Number(
        insert.run(process.pid, livingProcess(process.pid)?.started ?? '').lastInsertRowid,
      );
    },
    leave(entry) {
      try {
        db.prepare('delete from users where entry = ?').run(entry);
        db.exec('commit');
      } catch (error) {
        if (resultOf(error) !== FULL) throw error;
        if (db.isTransaction) db.exec('rollback');
      }
    },
    isEmpty: (own) => !entriesOf(db).some((each) => each.entry !== own && lives(each)),
  };
}

interface Entry {
  readonly entry: number;
  readonly pid: number;
  readonly started: string;
}

function entriesOf(db: DatabaseSync): Entry[] {
  return db.prepare('select entry, pid, started from users').all() as unknown as Entry[];
}

function lives({ pid, started }: Entry): boolean {
  return livingProcess(pid)?.started === started;
}

/** SQLite's own result code, without what it adds to it. */
function resultOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

function fromProc(pid: number): LivingProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may itself hold spaces and parentheses.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined; // dead, only not yet buried
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return { started: fields[18] ?? '', command, ...folderOf(pid) };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function folderOf(pid: number): { folder?: string } {
  try {
    return { folder: readlinkSync(`/proc/${pid}/cwd`) };
  } catch {
    return {}; // another user's process
  }
}

function fromPs(pid: number): LivingProcess | undefined {
  const columns = ['-o', 'lstart=', '-o', 'command='];
  const ps = spawnSync('ps', [...columns, '-p', `${pid}`], { encoding: 'utf8', env: ENVIRONMENT });
  if (ps.error) throw ps.error;
  if (ps.status !== 0) return undefined;
  const line = ps.stdout.trim();
  return { started: line.slice(0, 24), command: `${line.slice(24).trim()} ` };
}
