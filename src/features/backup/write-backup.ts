import { createGzip } from 'node:zlib';
import type { Client } from '../../platform/db/copy.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/seal.ts';
import { sealFile } from '../../platform/sealed-file.ts';
import { type About, FORMAT, frame } from './format.ts';
import * as store from './store.ts';

interface WrittenBackup {
  readonly about: About;
  rows(): number;
  readonly bytes: AsyncGenerator<Buffer>;
}

/** Rows must compress while the service runs: a higher level takes several times as long. */
const LEVEL = 3;
const NEWLINE = 10;

/**
 * The bytes of a backup of every table, all of one instant, while the service runs. Jobs of
 * the queues are not in it: they are planned anew after a restore.
 */
export async function openBackup(
  database: Pick<Database, 'connect'>,
  keyring: Pick<Keyring, 'current'>,
  release: string,
): Promise<WrittenBackup> {
  const client = await database.connect();
  try {
    const asOf = await store.beginSnapshot(client);
    const about: About = {
      format: FORMAT,
      release,
      migrations: await store.migrationsOf(client),
      as_of: asOf,
      postgres: await store.serverVersion(client),
    };
    let rows = 0;
    const content = compressed(
      contentOf(client, (count) => {
        rows += count;
      }),
    );
    return { about, rows: () => rows, bytes: closing(sealFile(keyring, about, content), client) };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function* contentOf(client: Client, onRows: (count: number) => void): AsyncGenerator<Buffer> {
  let total = 0;
  for (const table of await store.tablesOf(client)) {
    yield frame(table);
    for await (const text of store.rowsOut(client, table)) {
      const count = rowsIn(text);
      total += count;
      onRows(count);
      yield frame(text);
    }
    yield frame(null);
  }
  yield frame({ rows: total, sequences: await store.sequencesOf(client) });
}

/** A row is a line; a line break within it is written as two characters. */
function rowsIn(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

async function* compressed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: LEVEL });
  const feeding = (async () => {
    for await (const chunk of content)
      if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve));
    gzip.end();
  })();
  feeding.catch((error) => gzip.destroy(error));
  yield* gzip as AsyncIterable<Buffer>;
  await feeding;
}

async function* closing(bytes: AsyncGenerator<Buffer>, client: Client): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } finally {
    await client.end();
  }
}
