/** The users that may connect to the embedded PostgreSQL, and the role of each. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { namesOf, type SystemUser } from './embedded-user.ts';

/** Owns the database and may do everything: migrations, backups, repairs. */
export const OWNER = 'tianguis';
/** The running service: rows, never the schema. */
export const APP = 'tianguis_app';

const MAP = 'tianguis';
const HEADER = '# Written by Tianguis at each start.\n';

/**
 * Writes PostgreSQL's access files: the kernel names the user at the other end of the socket, and
 * only the user of the service and that of the database itself get in.
 * @returns whether something changed, so that a running server must read them again
 */
export function writeAccess(cluster: string, as: SystemUser): boolean {
  const mapped = namesOf(as).flatMap((name) =>
    [OWNER, APP].map((role) => `${MAP} "${name}" ${role}\n`),
  );
  const files = {
    'pg_hba.conf': `${HEADER}local all all peer map=${MAP}\n`,
    'pg_ident.conf': HEADER + mapped.join(''),
  };
  const changed = Object.entries(files).map(([name, text]) =>
    replaceFile(join(cluster, name), text, as),
  );
  return changed.includes(true);
}

/** Makes the role of the service where it is missing. `client` is connected as the owner. */
export async function createAppRole(client: Client): Promise<void> {
  await client.query(`do $$ begin
    if not exists (select from pg_roles where rolname = '${APP}') then create role ${APP} login; end if;
  exception when duplicate_object or unique_violation then null; end $$`);
}

/**
 * Whole or not at all. The folder belongs to another user, so nothing that is already there is
 * followed.
 */
function replaceFile(file: string, text: string, as: SystemUser): boolean {
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return false;
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  const descriptor = fs.openSync(draft, 'wx', 0o600);
  try {
    fs.writeFileSync(descriptor, text);
    fs.fchownSync(descriptor, as.uid, as.gid);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(draft, file);
  return true;
}
