import { createGunzip } from 'node:zlib';
import type { Client } from '../../platform/db/copy.ts';
import type { Database } from '../../platform/db/database.ts';
import { asOwner, migrate } from '../../platform/db/migrate.ts';
import { MIGRATIONS } from '../../platform/db/migrations/index.ts';
import { type Failure, fail, invalid } from '../../platform/failure.ts';
import { removeJobs } from '../../platform/queue.ts';
import type { Keyring } from '../../platform/seal.ts';
import { openSealedFile, SealedFileError } from '../../platform/sealed-file.ts';
import { type Instant, timeInMexico } from '../../platform/time.ts';
import { About, End, framesIn, TableHead } from './format.ts';
import * as store from './store.ts';

/** Of what is unpacked at once: with pieces of 16 KB most of a restore is waiting. */
const PIECE_BYTES = 1024 * 1024;

interface SettleParts {
  readonly database: Database;
  readonly now: Instant;
  /** Services whose refresh tokens work once. */
  readonly singleUse: readonly string[];
}

interface RestoreParts extends SettleParts {
  readonly keyring: Keyring;
}

interface Restored {
  readonly rows: number;
  /** The instant of the backup. */
  readonly asOf: string;
}

/**
 * Reads a whole backup without storing anything.
 * @throws Failure invalid_request where it is cut off, altered, of another key, of a newer release,
 * or no backup
 */
export async function checkBackup(
  keyring: Keyring,
  bytes: AsyncIterable<Buffer>,
): Promise<{ about: About; rows: number }> {
  return readable(async () => {
    const { about, content } = await openSealedFile(keyring, bytes);
    const known = aboutOf(about);
    let rows: number | null = null;
    for await (const part of partsIn(content)) if ('rows' in part) rows = part.rows;
    if (rows === null) throw broken();
    return { about: known, rows };
  });
}

/**
 * Loads a backup that was checked into an empty database, in one transaction with what must hold
 * before the first job. Its schema is that of the backup first, and then of this release.
 * @throws Failure invalid_request where the database is in use
 */
export async function restoreBackup(
  { keyring, ...parts }: RestoreParts,
  { about, rows }: Awaited<ReturnType<typeof checkBackup>>,
  bytes: AsyncIterable<Buffer>,
): Promise<Restored> {
  const { database } = parts;
  const had = new Set(about.migrations);
  await migrate(
    database,
    MIGRATIONS.filter(({ name }) => had.has(name)),
  );
  await asOwner(database, async (client) => {
    if (await store.isInUse(client)) throw inUse();
    const { content } = await openSealedFile(keyring, bytes);
    await store.beginLoad(client);
    await load(client, content);
    await client.query('commit');
  });
  await migrate(database);
  await settle(parts, Temporal.Instant.from(about.as_of));
  return { rows, asOf: about.as_of };
}

/**
 * The same for a database that the tools of its server restored. Jobs that waited are removed, as a
 * backup has none: some of them may have been done since.
 * @param asOf the instant of the rows
 * @returns how many jobs there were
 * @throws Failure invalid_request while a service works on the database
 */
export async function settleServed(parts: SettleParts, asOf: Instant): Promise<number> {
  const { database } = parts;
  if (await database.read(store.isServed))
    throw invalid(
      'DATABASE_URL',
      'Un servicio está usando esta base de datos. Detenlo primero: estas reglas van antes de su primer trabajo.',
    );
  const jobs = await database.write(removeJobs);
  await settle(parts, asOf);
  return jobs;
}

/** What must hold before the first job. */
async function settle({ database, now, singleUse }: SettleParts, asOf: Instant): Promise<void> {
  await asOwner(database, (client) =>
    store.afterLoad(client, {
      asOf: asOf.toString(),
      now: now.toString(),
      singleUse: { services: singleUse, message: RECONNECT },
      message: lossOf(asOf, now),
    }),
  );
}

async function load(client: Client, content: AsyncIterable<Buffer>): Promise<void> {
  const parts = partsIn(content);
  for await (const part of parts) {
    if ('rows' in part) await store.setSequences(client, part.sequences);
    else await store.rowsIn(client, part.head, part.text);
  }
}

type Part =
  | { readonly head: store.TableColumns; readonly text: AsyncGenerator<Buffer> }
  | { readonly rows: number; readonly sequences: Readonly<Record<string, string>> };

/** Tables with their rows, then the end. The rows of a table are read before the next part. */
async function* partsIn(content: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const frames = framesIn(unpacked(content))[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await frames.next();
    if (done) return;
    const json: unknown = JSON.parse(value.toString());
    const end = End.safeParse(json);
    if (end.success) {
      yield end.data;
      continue;
    }
    const text = rowsOf(frames);
    yield { head: TableHead.parse(json), text };
    // What its reader left.
    for await (const _ of text);
  }
}

async function* rowsOf(frames: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (;;) {
    const { done, value } = await frames.next();
    if (done) throw new Error('the backup ends within a table');
    if (value.length === 0) return;
    yield value;
  }
}

async function* unpacked(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const feeding = (async () => {
    for await (const chunk of content)
      if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve));
    gunzip.end();
  })();
  feeding.catch((error) => gunzip.destroy(error));
  yield* gunzip as AsyncIterable<Buffer>;
  await feeding;
}

function aboutOf(given: unknown): About {
  const about = About.safeParse(given);
  if (!about.success) throw new SealedFileError('other');
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = about.data.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw invalid(
      'file',
      `La copia es de una versión más nueva de Tianguis (${about.data.release}). Restáurala con esa versión o una posterior.`,
    );
  return about.data;
}

const SENTENCES: Readonly<Record<SealedFileError['what'], string>> = {
  cut: 'La copia está incompleta: le falta el final.',
  altered: 'La copia está dañada o alguien la modificó.',
  key: 'La copia se hizo con otra MASTER_KEY. Indica esa clave en MASTER_KEY o en MASTER_KEY_PREVIOUS.',
  other: 'El archivo no es una copia de seguridad de Tianguis.',
};

async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SealedFileError) throw invalid('file', SENTENCES[error.what]);
    throw error;
  }
}

function broken(): Failure {
  return invalid('file', SENTENCES.cut);
}

function inUse(): Failure {
  return fail('invalid_request', {
    param: 'data_dir',
    message: 'Ya hay datos aquí. Restaura en una carpeta vacía: elige otra en DATA_DIR.',
  });
}

const RECONNECT =
  'Restauramos tus datos de una copia de seguridad y el acceso pudo renovarse después de ella. Reconecta la cuenta.';

function lossOf(asOf: Instant, now: Instant): string {
  return `Restauramos tus datos de una copia de seguridad. Lo que cambiaste aquí entre ${timeInMexico(asOf, now)} y ${timeInMexico(now, now)} se perdió; lo de tus marketplaces y paqueterías se vuelve a leer.`;
}
