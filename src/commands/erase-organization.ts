import { unsubscribe } from '../exchange/connect/unsubscribe.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { connectionById, listConnections } from '../features/connections/index.ts';
import {
  close,
  type Erasure,
  erase,
  erasureOf,
  quiet,
  remainsOf,
  type ServiceOutcome,
} from '../features/erasure/index.ts';
import { findOrganization } from '../features/organizations/index.ts';
import { removeSample, samplesBeside } from '../features/samples/index.ts';
import type { Database } from '../platform/db/database.ts';
import { fail, invalid } from '../platform/failure.ts';
import { momentInMexico } from '../platform/time.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  inRemovalContext,
  isUuid,
  NO_ORGANIZATION_ID,
} from './command.ts';
import { numberInWords } from './lines.ts';

export const eraseOrganization: Command = {
  usage: 'erase-organization --organization ID --confirm NOMBRE',
  about:
    'Elimina una organización con todos sus datos, para siempre, y entrega una constancia. NOMBRE: el de la organización, exacto. Repite la orden para seguir una cortada.',
  options: ['organization', 'confirm'],
  required: ['organization', 'confirm'],
  async run(args) {
    const id = idOf(args);
    const erasure = await inRemovalContext((context) =>
      eraseWhole(context, id, args.confirm ?? ''),
    );
    return { json: proofOf(id, erasure), text: inWords(id, erasure) };
  },
};

function idOf({ organization: id }: Arguments): string {
  if (!isUuid(id)) throw invalid('organization', NO_ORGANIZATION_ID);
  return id.toLowerCase();
}

/** An erasure that was cut short goes on; the result of one that is over is printed again. */
async function eraseWhole(context: CommandContext, id: string, name: string): Promise<Erasure> {
  const { database, runtime } = context;
  if (!(await erasureOf(database, id))) await shut(context, id, name);
  if ((await erasureOf(database, id))?.endedAt === null) {
    await assertConfirmed(database, id, name);
    await erase(database, runtime.clock, id);
  }
  const erasure = await erasureOf(database, id);
  if (!erasure) throw fail('internal_error');
  return erasure;
}

async function shut(context: CommandContext, id: string, name: string): Promise<void> {
  const { database, runtime } = context;
  await assertConfirmed(database, id, name);
  await quiet(database, runtime.clock, id);
  const services = await signOff(await context.exchange(), id);
  for (const sample of await samplesBeside(database, id))
    await removeSample(database, runtime.clock, sample);
  await close(database, runtime.clock, id, services);
}

async function assertConfirmed(database: Database, id: string, name: string): Promise<void> {
  const organization = await database.read((handle) => findOrganization(handle, id));
  if (!organization)
    throw fail('not_found', { message: 'No existe una organización con ese identificador.' });
  if (organization.name !== name)
    throw invalid(
      'confirm',
      `El nombre no coincide. Para eliminarla, escribe --confirm "${organization.name}".`,
    );
}

/** Removes our webhooks at the services: one try for each account, while it has its credentials. */
async function signOff(parts: ExchangeParts, id: string): Promise<ServiceOutcome[]> {
  const organization = parts.database.within(id);
  const outcomes: ServiceOutcome[] = [];
  for (const { id: connectionId, service, state } of await organization.read(listConnections)) {
    if (state === 'disconnected') continue;
    const connection = await organization.read((scope) => connectionById(scope, connectionId));
    if (connection) outcomes.push({ service, webhooks: await unsubscribe(parts, connection) });
  }
  return outcomes;
}

function proofOf(id: string, erasure: Erasure) {
  return {
    organization_id: id,
    command: 'erase-organization',
    started_at: erasure.startedAt,
    ended_at: erasure.endedAt,
    erased: erasure.rows,
    webhooks_at_services: erasure.services,
    not_erased: remainsOf(erasure),
  };
}

function inWords(id: string, erasure: Erasure): string {
  const { rows, services, startedAt, endedAt } = erasure;
  const lines = [
    `Constancia de eliminación de la organización ${id}`,
    `Inicio: ${momentInMexico(startedAt)} Fin: ${endedAt ? momentInMexico(endedAt) : 'pendiente.'}`,
    '',
    'Se eliminaron estos registros, por tabla:',
    ...Object.entries(rows).map(([table, count]) => `  ${table}: ${numberInWords(count)}`),
    '',
    'Webhooks registrados en los servicios:',
    ...services.map(({ service, webhooks }) => `  ${service}: ${OUTCOMES[webhooks]}`),
    ...(services.length === 0 ? ['  no había cuentas conectadas'] : []),
    '',
    'Lo que este servicio no puede eliminar:',
    ...remainsOf(erasure).map(({ what, until }) => `  - ${what} ${until}`),
  ];
  return lines.join('\n');
}

const OUTCOMES: Readonly<Record<ServiceOutcome['webhooks'], string>> = {
  removed: 'se quitaron',
  left: 'no se pudieron quitar; los puede borrar el titular de la cuenta',
  none: 'no había',
};
