import { bootstrapDatabase, prepareSchema } from '../app/database.ts';
import { configOf, readEnvironment } from '../environment.ts';
import { JOBS } from '../exchange/jobs/index.ts';
import { resealAll } from '../features/connections/index.ts';
import { resealKeys } from '../features/grants/index.ts';
import { resealSecondFactors } from '../features/people/index.ts';
import { requireJournal } from '../features/removals/index.ts';
import { systemClock } from '../platform/clock.ts';
import { nameOf } from '../platform/db/pools.ts';
import { resealDataKeys } from '../platform/db/reseal-data-keys.ts';
import { invalid } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { installQueue } from '../platform/queue.ts';
import { resealPayloads } from '../platform/sealed-payload.ts';
import { type Command, inRemovalContext } from './command.ts';

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'Pone al día la base de datos. Con MIGRATE=off lo hace solo este comando.',
  options: [],
  required: [],
  async run() {
    const config = configOf(readEnvironment());
    const log = createLog('silent');
    const { database, close } = await bootstrapDatabase(config, { clock: systemClock, log });
    try {
      const applied = await prepareSchema(database, { ...config.settings, migrate: true });
      await installQueue(database, JOBS);
      // After a restore there are two databases, and only one of them is served.
      const name = nameOf(database.owner);
      return {
        json: { applied },
        text:
          applied.length > 0
            ? `Migraciones aplicadas en la base de datos «${name}»: ${applied.join(', ')}.`
            : `La base de datos «${name}» ya está al día.`,
      };
    } finally {
      await close();
    }
  },
};

export const rotateSecrets: Command = {
  usage: 'rotate-secrets',
  about: 'Sella de nuevo, con MASTER_KEY, lo que selló MASTER_KEY_PREVIOUS.',
  options: [],
  required: [],
  async run() {
    const { resealed, unopened } = await inRemovalContext(async ({ config, database }) => {
      const { keyring } = config.secrets;
      if (!keyring?.previous)
        throw invalid(
          'MASTER_KEY_PREVIOUS',
          'Indica MASTER_KEY con la clave nueva y MASTER_KEY_PREVIOUS con la anterior.',
        );
      const all = [
        await resealAll(database, keyring),
        await resealSecondFactors(database, keyring),
        await resealKeys(database, keyring),
        await resealDataKeys(database, keyring),
        await resealPayloads(database, keyring),
      ];
      await database.write(requireJournal);
      return {
        resealed: all.reduce((sum, one) => sum + one.resealed, 0),
        unopened: all.reduce((sum, one) => sum + one.unopened, 0),
      };
    });
    return {
      json: { resealed, ...(unopened > 0 && { unopened }) },
      text:
        unopened === 0
          ? `Credenciales, claves y correos en espera sellados de nuevo: ${resealed}. Ya puedes quitar MASTER_KEY_PREVIOUS.`
          : `Credenciales, claves y correos en espera sellados de nuevo: ${resealed}. Otros ${unopened} no abren con ninguna de las dos claves: revisa MASTER_KEY_PREVIOUS, o reconecta esas cuentas; una verificación en dos pasos que no abre se activa de nuevo, y los documentos de una clave que no abre se pierden, igual que los correos que no abren.`,
      exitCode: unopened === 0 ? 0 : 1,
    };
  },
};
