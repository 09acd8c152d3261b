import { singleUseServices } from '../carriers/registry.ts';
import { settleServed } from '../features/backup/index.ts';
import { systemClock } from '../platform/clock.ts';
import { invalid } from '../platform/failure.ts';
import type { Instant } from '../platform/time.ts';
import { type Command, inContext } from './command.ts';
import { numberInWords } from './lines.ts';

export const afterRestore: Command = {
  usage: 'after-restore --as-of INSTANTE',
  about:
    'Después de restaurar un servidor propio de PostgreSQL con sus herramientas y antes de iniciar el servicio: aplica las reglas de restore. INSTANTE es el de los datos restaurados, como 2026-11-25T14:00:00Z.',
  options: ['as-of'],
  required: ['as-of'],
  async run({ 'as-of': given }) {
    const now = systemClock.now();
    const asOf = instantIn(given, now);
    const jobs = await inContext(async ({ config, database }) => {
      if (!config.secrets.databaseUrl)
        throw invalid(
          'DATABASE_URL',
          'La base de datos incluida se restaura con restore, que ya aplica estas reglas.',
        );
      return settleServed({ database, now, singleUse: singleUseServices() }, asOf);
    });
    return {
      json: { as_of: asOf.toString(), jobs_removed: jobs },
      text: `Listo: los datos son del ${asOf} y se descartaron ${numberInWords(jobs)} trabajos en espera. Ya puedes iniciar el servicio; cada organización tiene una alerta con lo que se perdió. Lo que se eliminó, olvidó o revocó después está otra vez: repítelo a mano antes.`,
    };
  },
};

function instantIn(given: string | undefined, now: Instant): Instant {
  const asOf = readInstant(given ?? '');
  if (asOf && Temporal.Instant.compare(asOf, now) <= 0) return asOf;
  throw invalid(
    'as-of',
    'Indica en --as-of un instante pasado con su zona, como 2026-11-25T14:00:00Z.',
  );
}

function readInstant(text: string): Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
