import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './processes.ts';

const SOURCE = 'bench/peer.c';
const HEADERS = '-I/usr/include/postgresql';

/** The peer in C, compiled into a folder of its own. */
interface Compiled extends AsyncDisposable {
  readonly program: string;
}

/** @returns null where there is no gcc or no libpq; Debian: `apt-get install gcc libpq-dev` */
export async function compilePeer(): Promise<Compiled | null> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-bench-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const program = join(folder, 'peer');
  try {
    await run('gcc', ['-O2', HEADERS, '-o', program, SOURCE, '-lpq', '-lpthread']);
  } catch (error) {
    await remove();
    if (isMissing(error)) return null;
    throw error;
  }
  return { program, [Symbol.asyncDispose]: remove };
}

/**
 * A missing part is reported by the system, by the compiler of a header, or by the linker of a
 * library.
 */
function isMissing(error: unknown): boolean {
  const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
  return code === 'ENOENT' || /libpq-fe\.h: No such file|cannot find -lpq/.test(stderr);
}
