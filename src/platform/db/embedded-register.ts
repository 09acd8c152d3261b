/** Who uses the embedded server: a register that is also the lock under which it is started and stopped. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError, ENVIRONMENT } from './embedded-place.ts';

interface Register {
  /** Enters this process and answers with the number of the entry. */
  enter(): number;
  leave(entry: number): void;
  isEmpty(): boolean;
}

const PATIENCE_MS = 120_000;
const POLL_MS = 15;
const BUSY = 5;

/**
 * Runs `work` while no other process can: SQLite's lock on the file dies with its owner.
 * Entries are kept only when `work` succeeds; those of dead processes are gone before it begins.
 */
export async function withRegister<T>(home: string, work: (register: Register) => Promise<T>): Promise<T> {
  const db = await lock(home);
  try {
    db.exec('create table if not exists users (entry integer primary key, pid integer, started text)');
    forgetTheDead(db);
    const result = await work(registerIn(db));
    db.exec('commit');
    return result;
  } finally {
    db.close();
  }
}

interface LivingProcess {
  /** Tells it from a later process with the same number. */
  readonly started: string;
  readonly command: string;
  /** Its working folder, where the system tells. */
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
      throw new EmbeddedError(`Otro proceso tarda demasiado en iniciar o detener PostgreSQL en ${home}.`);
    }
    await sleep(POLL_MS);
  }
  chmodSync(file, 0o600); // a stranger who may read it could hold the lock
  return db;
}

function begins(db: DatabaseSync): boolean {
  try {
    db.exec('begin exclusive');
    return true;
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY) return false;
    throw error;
  }
}

function forgetTheDead(db: DatabaseSync): void {
  for (const { entry, pid, started } of db.prepare('select entry, pid, started from users').all()) {
    if (livingProcess(Number(pid))?.started !== started) {
      db.prepare('delete from users where entry = ?').run(entry as number);
    }
  }
}

function registerIn(db: DatabaseSync): Register {
  return {
    enter() {
      const insert = db.prepare('insert into users (pid, started) values (?, ?)');
      return Number(insert.run(process.pid, livingProcess(process.pid)?.started ?? '').lastInsertRowid);
    },
    leave: (entry) => void db.prepare('delete from users where entry = ?').run(entry),
    isEmpty: () => db.prepare('select 1 from users').get() === undefined,
  };
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
    return {}; // somebody else's process
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
