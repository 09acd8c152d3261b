import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { NO_MASTER_KEY, StartError } from '../app/runtime.ts';
import { openBackup } from '../features/backup/index.ts';
import type { Keyring } from '../platform/seal.ts';
import { newFile, writeBackup } from './backup-file.ts';
import { type Command, inContext } from './command.ts';
import { numberInWords } from './lines.ts';
import { unwritable } from './out-file.ts';

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
    const made = await inContext(async ({ config, database }) => {
      const keyring = keyringOf(config.secrets.keyring);
      const open = () => openBackup(database, keyring, RELEASE);
      const { bytes, backup } = await writeBackup(file, open).catch((error) => {
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

/** @throws StartError where there is none */
export function keyringOf(keyring: Keyring | null): Keyring {
  if (keyring) return keyring;
  throw new StartError(NO_MASTER_KEY);
}
