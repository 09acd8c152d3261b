import { join, resolve } from 'node:path';
import { bootstrapDatabase } from '../app/database.ts';
import { singleUseServices } from '../carriers/registry.ts';
import { configOf, readEnvironment } from '../environment.ts';
import { JOBS } from '../exchange/jobs/index.ts';
import { beginRestore, checkBackup, endRestore, restoreBackup } from '../features/backup/index.ts';
import {
  JOURNAL,
  KEEP_DAYS,
  type Removal,
  readJournal,
  writeJournal,
} from '../features/removals/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { installQueue } from '../platform/queue.ts';
import type { Keyring } from '../platform/seal.ts';
import { SealedFileError } from '../platform/sealed-file.ts';
import { keyringOf } from './backup.ts';
import { exists, reading } from './backup-file.ts';
import type { Command, Result } from './command.ts';
import { numberInWords } from './lines.ts';
import { type Repeated, repeatRemovals } from './repeat-removals.ts';

export const restoreCommand: Command = {
  usage: 'restore ARCHIVO [--removals BITÁCORA]',
  about:
    'Carga una copia de backup en una carpeta de datos vacía, con el servicio detenido. Antes revisa toda la copia. BITÁCORA es el archivo removals.tianguis del servicio anterior: repite lo que se eliminó, olvidó o revocó después de la copia.',
  options: ['removals'],
  required: [],
  file: 'one',
  async run({ removals: journal }, [name = '']) {
    const file = resolve(name);
    const config = configOf(readEnvironment());
    const keyring = keyringOf(config.secrets.keyring);
    const { dataDir } = config.settings;
    if (config.secrets.databaseUrl)
      throw invalid(
        'DATABASE_URL',
        'restore carga la base de datos incluida. Para un servidor propio usa sus herramientas; los pasos están en docs/running.md.',
      );
    await requireEmpty(dataDir);
    const removals = journal ? await removalsIn(keyring, resolve(journal)) : null;
    const checked = await checkBackup(keyring, await reading(file));
    await beginRestore(dataDir);
    const runtime = { clock: systemClock, log: createLog('silent'), isRestore: true };
    const { database, close } = await bootstrapDatabase(config, runtime);
    const restored = await (async () => {
      const singleUse = singleUseServices();
      const given = { database, keyring, now: systemClock.now(), singleUse };
      const { rows, asOf } = await restoreBackup(given, checked, await reading(file));
      const repeated = removals && (await repeat(config, keyring, database, removals));
      return { rows, asOf, removals: repeated };
    })().finally(close);
    await endRestore(dataDir);
    return answerOf(restored);
  },
};

/** @throws Failure not_found, invalid_request */
async function removalsIn(keyring: Keyring, file: string): Promise<readonly Removal[]> {
  try {
    return await readJournal(keyring, await reading(file));
  } catch (error) {
    if (!(error instanceof SealedFileError)) throw error;
    throw invalid(
      'removals',
      error.what === 'key'
        ? 'La bitácora se escribió con otra MASTER_KEY. Indica esa clave en MASTER_KEY o en MASTER_KEY_PREVIOUS.'
        : `${file} no es una bitácora completa de Tianguis (removals.tianguis).`,
    );
  }
}

/** Before the service may start, and with a journal of its own from then on. */
async function repeat(
  { settings }: Config,
  keyring: Keyring,
  database: Database,
  removals: readonly Removal[],
): Promise<Repeated> {
  await installQueue(database, JOBS);
  const repeated = await repeatRemovals(database, systemClock, removals);
  const file = join(settings.dataDir, JOURNAL);
  await writeJournal({ database, keyring, clock: systemClock, file });
  return repeated;
}

function answerOf({ rows, asOf, removals }: Restored): Result {
  const loaded = `${numberInWords(rows)} filas, como estaban el ${asOf}.`;
  const start =
    'Ya puedes iniciar el servicio; cada organización tiene una alerta con lo que se perdió.';
  const age = systemClock.now().since(Temporal.Instant.from(asOf)).total('hours') / 24;
  const tooOld =
    removals && age > KEEP_DAYS
      ? ` La bitácora solo tiene los últimos ${KEEP_DAYS} días, y la copia es anterior.`
      : '';
  const said = removals ? repeatedInWords(removals) + tooOld : NOT_COVERED;
  return {
    json: { rows, as_of: asOf, removals },
    text: `${loaded} ${said} ${start}`,
    ...((removals?.refused.length ?? 0) > 0 && { exitCode: 1 }),
  };
}

const NOT_COVERED =
  'Sin --removals, lo que se eliminó, olvidó o revocó después de la copia está otra vez: organizaciones eliminadas, compradores olvidados, claves revocadas, miembros que salieron y cuentas desconectadas.';

function repeatedInWords({ repeated, refused }: Repeated): string {
  const done = `De la bitácora se repitieron ${numberInWords(repeated)} acciones.`;
  const left = refused.map(
    ({ kind, organization_id, subject, reason }) =>
      `  ${kind} ${JSON.stringify(subject)} de la organización ${organization_id}: ${reason}`,
  );
  return left.length === 0
    ? done
    : `${done} Estas no se pudieron repetir; hazlas a mano antes de iniciar el servicio:\n${left.join('\n')}\n`;
}

interface Restored {
  readonly rows: number;
  readonly asOf: string;
  readonly removals: Repeated | null;
}

async function requireEmpty(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, 'postgres')))
    throw invalid(
      'DATA_DIR',
      `Ya hay una base de datos en ${dataDir}. Restaura en una carpeta vacía: elige otra en DATA_DIR.`,
    );
}
