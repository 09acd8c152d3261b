import { createReadStream, readFileSync } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bootstrapDatabase } from '../app/database.ts';
import { NO_MASTER_KEY, StartError } from '../app/runtime.ts';
import { singleUseServices } from '../carriers/registry.ts';
import { readEnvironment } from '../environment.ts';
import { checkBackup, openBackup, restoreBackup } from '../features/backup/index.ts';
import { systemClock } from '../platform/clock.ts';
import { readConfig } from '../platform/config.ts';
import { fail, invalid } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import type { Keyring } from '../platform/seal.ts';
import { atDesk, type Command } from './command.ts';
import { numberInWords } from './lines.ts';
import { freeFile, unwritable } from './out-file.ts';

const OWNER_ONLY = 0o600;
const { version: RELEASE } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

export const backupCommand: Command = {
  usage: 'backup ARCHIVO',
  about:
    'Escribe una copia de seguridad de todo, de un mismo instante y cifrada con la MASTER_KEY, mientras el servicio trabaja. restore la lee.',
  options: [],
  required: [],
  file: 'one',
  async run(_args, [name = '']) {
    const file = await newFile(resolve(name));
    const made = await atDesk(async ({ config, database }) => {
      const keyring = keyringOf(config.secrets.keyring);
      const open = () => openBackup(database, keyring, RELEASE);
      const { bytes, backup } = await write(file, open).catch((error) => {
        throw unwritable(error, file);
      });
      return { bytes, rows: backup.rows(), as_of: backup.about.as_of };
    });
    return {
      json: { file, ...made },
      text: `${numberInWords(made.rows)} filas en ${file} (${numberInWords(made.bytes)} bytes), del ${made.as_of}. Guárdala fuera de este equipo, y la MASTER_KEY aparte.`,
    };
  },
};

export const restoreCommand: Command = {
  usage: 'restore ARCHIVO',
  about:
    'Carga una copia de backup en una carpeta de datos vacía, con el servicio detenido. Antes revisa toda la copia.',
  options: [],
  required: [],
  file: 'one',
  async run(_args, [name = '']) {
    const file = resolve(name);
    const config = readConfig(readEnvironment());
    const keyring = keyringOf(config.secrets.keyring);
    if (config.secrets.databaseUrl)
      throw invalid(
        'DATABASE_URL',
        'restore carga la base de datos incluida. Para un servidor propio usa sus herramientas; los pasos están en docs/running.md.',
      );
    await requireEmpty(config.settings.dataDir);
    const checked = await checkBackup(keyring, await reading(file));
    const log = createLog('silent');
    const { database, close } = await bootstrapDatabase(config, { clock: systemClock, log });
    try {
      const restored = await restoreBackup(
        { database, keyring, now: systemClock.now(), singleUse: singleUseServices() },
        checked,
        await reading(file),
      );
      return {
        json: { rows: restored.rows, as_of: restored.asOf },
        text: `${numberInWords(restored.rows)} filas, como estaban el ${restored.asOf}. Ya puedes iniciar el servicio; cada organización tiene una alerta con lo que se perdió.`,
      };
    } finally {
      await close();
    }
  },
};

/** @throws Failure invalid_request */
function keyringOf(keyring: Keyring | null): Keyring {
  if (keyring) return keyring;
  throw new StartError(NO_MASTER_KEY);
}

/** A backup never replaces another file. */
async function newFile(file: string): Promise<string> {
  await freeFile(file);
  if (await exists(file)) throw alreadyThere(file);
  return file;
}

async function requireEmpty(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, 'postgres')))
    throw invalid(
      'DATA_DIR',
      `Ya hay una base de datos en ${dataDir}. Restaura en una carpeta vacía: elige otra en DATA_DIR.`,
    );
}

async function reading(file: string): Promise<AsyncIterable<Buffer>> {
  if (!(await exists(file))) throw fail('not_found', { message: `No existe el archivo ${file}.` });
  return createReadStream(file, { highWaterMark: 1 << 18 });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/**
 * The file appears under its name when it is whole and on the disk. The backup begins when there is a file.
 * @returns how many bytes
 */
async function write(file: string, begin: () => ReturnType<typeof openBackup>) {
  const part = `${file}.part`;
  const handle = await open(part, 'wx', OWNER_ONLY).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw invalid(
      'file',
      `Otra copia se escribe en ${part}, o quedó cortada: elimínala y repite la orden.`,
    );
  });
  let bytes = 0;
  try {
    const backup = await begin();
    for await (const chunk of backup.bytes) bytes += (await handle.write(chunk)).bytesWritten;
    await handle.sync();
    await appear(part, file);
    return { bytes, backup };
  } finally {
    await rm(part, { force: true });
    await handle.close();
  }
}

/** Under its name, where no file is, also after a loss of power. */
async function appear(part: string, file: string): Promise<void> {
  await link(part, file).catch((error) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(file) : error;
  });
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

function alreadyThere(file: string): Error {
  return invalid('file', `Ya existe ${file}. Elige otro nombre o elimínalo antes.`);
}
