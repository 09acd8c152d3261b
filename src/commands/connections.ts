import type { ServiceSlug } from '../carriers/contract.ts';
import { findService } from '../carriers/registry.ts';
import { STREAMS, type StreamName } from '../connectors/contract.ts';
import { disconnectAccount } from '../exchange/connect/disconnect.ts';
import { factsOf } from '../exchange/streams.ts';
import {
  type Connection,
  type ConnectionState,
  connectionByAddress,
  listConnections,
  listOffers,
  type Offer,
} from '../features/connections/index.ts';
import { type RerenderingProgress, rerenderingOf } from '../features/orders/index.ts';
import type { Database, ReadScope } from '../platform/db/database.ts';
import { fail, invalid } from '../platform/failure.ts';
import { formatMillis, momentInMexico } from '../platform/time.ts';
import {
  type Arguments,
  type Command,
  inContext,
  inRemovalContext,
  isUuid,
  organizationOf,
} from './command.ts';
import { slugOf } from './connect.ts';

export const connectionsCommand: Command = {
  usage: 'connections --organization ID',
  about: 'Muestra las cuentas conectadas, cómo están y qué no da cada marketplace.',
  options: ['organization'],
  required: ['organization'],
  async run({ organization: id }) {
    const { overviews, rerendering } = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).read(async (scope) => ({
        overviews: await overviewsOf(scope),
        rerendering: await rerenderingOf(scope),
      }));
    });
    const accounts =
      overviews.length === 0 ? 'No hay cuentas conectadas.' : overviews.map(describe).join('\n\n');
    return {
      json: { connections: overviews, ...(rerendering && { rerendering }) },
      text: rerendering ? `${accounts}\n\n${describeRerendering(rerendering)}` : accounts,
    };
  },
};

export const disconnectCommand: Command = {
  usage: 'disconnect (--connection ID | --organization ID --marketplace SLUG [--account CUENTA])',
  about:
    'Olvida las credenciales de una cuenta y deja de sincronizarla. Lo ya sincronizado se queda.',
  options: ['connection', 'organization', 'marketplace', 'account'],
  required: [],
  async run(args) {
    const { id, name, service, pushes } = await inRemovalContext(async (context) => {
      const connection = await meant(context.database, args, disconnectCommand.usage);
      const { organizationId, state } = connection;
      const pushes =
        state === 'disconnected'
          ? 'none'
          : await disconnectAccount(await context.exchange(), organizationId, connection.id);
      return { ...connection, pushes };
    });
    const left = `No pudimos quitar los webhooks que registramos en ${findService(service)?.name}; puedes borrarlos allá. Ya no los atendemos.`;
    return {
      json: { connection_id: id, disconnected: true, ...(pushes === 'left' && { pushes }) },
      text: [`Cuenta desconectada: ${id} (${name}).`, ...(pushes === 'left' ? [left] : [])].join(
        '\n',
      ),
    };
  },
};

interface Overview {
  readonly connection_id: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly name: string;
  readonly state: ConnectionState;
  /** In Spanish: what is wrong and what to do. */
  readonly state_message: string | null;
  /** When the last sync run of each stream finished; null = none finished yet. */
  readonly last_sync_at: Readonly<Partial<Record<StreamName, string | null>>>;
  /** Streams that are not read to their end: a first import, or a sync run that was cut short. */
  readonly behind: readonly StreamName[];
  /** Streams whose sync run has begun and not finished; the pages read so far are stored. */
  readonly under_way: readonly StreamName[];
  /** Streams that the marketplace does not offer. */
  readonly unavailable: readonly StreamName[];
}

async function overviewsOf(scope: ReadScope): Promise<Overview[]> {
  const offers: (Offer & { readonly stream: StreamName })[] = [];
  for (const stream of STREAMS)
    for (const offer of await listOffers(scope, stream)) offers.push({ ...offer, stream });
  return (await listConnections(scope)).map(
    ({ id, service, accountId, name, state, stateMessage }) => {
      const own = offers.filter(({ connectionId }) => connectionId === id);
      const offered = own.filter(({ isOffered }) => isOffered);
      return {
        connection_id: id,
        marketplace: service,
        account_id: accountId,
        name,
        state,
        state_message: stateMessage,
        last_sync_at: Object.fromEntries(
          offered.map(({ stream, lastSyncAt }) => [stream, lastSyncAt && formatMillis(lastSyncAt)]),
        ),
        behind: offered.filter(({ isBehind }) => isBehind).map(({ stream }) => stream),
        under_way: offered.filter(({ isUnderWay }) => isUnderWay).map(({ stream }) => stream),
        unavailable: own.filter(({ isOffered }) => !isOffered).map(({ stream }) => stream),
      };
    },
  );
}

const STATES: Readonly<Record<ConnectionState, string>> = {
  ok: 'al día',
  delayed: 'con retraso',
  reauth_required: 'hay que reconectarla',
  error: 'con error',
  paused: 'en pausa',
  disconnected: 'desconectada',
};

function describe(overview: Overview): string {
  const { connection_id, marketplace, account_id, name, state_message } = overview;
  const why = state_message === null ? '' : `: ${state_message}`;
  const syncs = STREAMS.filter((stream) => stream in overview.last_sync_at).map(
    (stream) => `  ${factsOf(stream).title}: ${syncOf(overview, stream)}`,
  );
  return [
    `${connection_id} ${marketplace} ${name === account_id ? account_id : `${account_id} (${name})`}`,
    `  ${wordOf(overview)}${why}`,
    ...syncs,
    ...overview.unavailable.map((stream) => `  ${factsOf(stream).title}: no disponible`),
  ].join('\n');
}

/** In the time of Mexico, for people; the JSON has the instant. */
function syncOf({ last_sync_at, under_way }: Overview, stream: StreamName): string {
  const at = last_sync_at[stream];
  if (at) return momentInMexico(Temporal.Instant.from(at));
  return under_way.includes(stream)
    ? 'primera sincronización en curso; lo leído ya está guardado'
    : 'sin sincronizar';
}

function wordOf({ state, behind }: Overview): string {
  if (state !== 'ok' || behind.length === 0) return STATES[state];
  return `poniéndose al día (${behind.map((stream) => factsOf(stream).title.toLowerCase()).join(', ')})`;
}

function describeRerendering({ visited, total }: RerenderingProgress): string {
  const far = total === null ? 'por empezar' : `van ${visited} de ${total}`;
  return `Órdenes guardadas que se vuelven a leer por la versión nueva: ${far}.`;
}

/**
 * The connection that the options name, by its id or as an account of an organisation.
 * @throws Failure invalid_request, not_found
 */
export async function meant(
  database: Database,
  args: Arguments,
  usage: string,
): Promise<Connection> {
  const { connection: id, organization, marketplace } = args;
  if (id !== undefined && organization === undefined && marketplace === undefined)
    return connectionOf(database, id);
  if (id !== undefined || organization === undefined || marketplace === undefined)
    throw invalid('connection', `Indica --connection, o --organization y --marketplace. ${usage}`);
  return accountOf(database, organization, slugOf(marketplace), args.account);
}

async function connectionOf(database: Database, id: string): Promise<Connection> {
  if (!isUuid(id)) throw invalid('connection', 'El identificador de la conexión no es válido.');
  const connection = await database.read((handle) => connectionByAddress(handle, id));
  if (!connection)
    throw fail('not_found', { message: 'No existe una conexión con ese identificador.' });
  return connection;
}

/** With several accounts at one marketplace, none is chosen. */
async function accountOf(
  database: Database,
  organization: string,
  service: ServiceSlug,
  account: string | undefined,
): Promise<Connection> {
  const { id } = await organizationOf(database, organization);
  const found = (await database.within(id).read(listConnections)).filter(
    (known) =>
      known.service === service &&
      known.state !== 'disconnected' &&
      (account === undefined || known.accountId === account),
  );
  const [connection, ...others] = found;
  if (!connection)
    throw fail('not_found', {
      message: `No hay ninguna cuenta conectada de ${service} con esos datos.`,
    });
  const accounts = found.map(({ accountId }) => accountId).join(', ');
  if (others.length > 0)
    throw invalid(
      'account',
      `Hay varias cuentas de ${service}. Indica --account, una de: ${accounts}.`,
    );
  return connection;
}
