import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClosers } from '../app/closers.ts';
import { bootstrapDatabase, prepareSchema } from '../app/database.ts';
import type { Runtime } from '../app/runtime.ts';
import { configOf, readEnvironment } from '../environment.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { findOrganization, type Organization } from '../features/organizations/index.ts';
import { JOURNAL, writeJournal } from '../features/removals/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { keptPublicUrl } from '../platform/db/installation.ts';
import { fail, invalid } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { type Instant, isDay, parseInstant } from '../platform/time.ts';

export type Arguments = Readonly<Record<string, string | undefined>>;

export interface Result {
  readonly json: object;
  readonly text: string;
  readonly exitCode?: number;
}

export interface Command {
  readonly usage: string;
  /** The command's purpose, as a sentence of the help. */
  readonly about: string;
  readonly options: readonly string[];
  readonly required: readonly string[];
  /** Options without a value; `si` where they are given. */
  readonly flags?: readonly string[];
  /** Takes a file after its options, or several. */
  readonly file?: 'one' | 'many';
  /** @param files as many as `file` says */
  run(args: Arguments, files: readonly string[]): Promise<Result>;
}

/** The parts that a command works with; closed when it ends. */
export interface CommandContext {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly database: Database;
  /** The address of the service, for links. */
  readonly publicUrl: string;
  /** Calls marketplaces from this process, for when no service runs. */
  exchange(): Promise<ExchangeParts>;
}

/** Where the demo keeps its master key; a real installation sets MASTER_KEY. */
export const LOCAL_KEY_FILE = 'master.key';

/**
 * Opens the database (starting or joining the embedded one), brings its schema up to date, and
 * closes it again.
 */
export async function inContext<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = configOf(withLocalKey(readEnvironment()));
  const log = createLog(process.env.LOG_LEVEL ? config.settings.logLevel : 'silent');
  const runtime: Runtime = { clock: systemClock, log, random: Math.random };
  const closers = openClosers();
  const { database, close } = await bootstrapDatabase(config, runtime);
  closers.add(close);
  try {
    await prepareSchema(database, config.settings);
    const publicUrl = await addressOf(config, database);
    let opened: Promise<ExchangeParts> | null = null;
    const open = async () => {
      // Most commands call no marketplace, and start in half the time without it.
      const { openServices } = await import('../app/services.ts');
      const { openMetrics } = await import('../platform/metrics.ts');
      const metrics = openMetrics({ isRead: false, onError: () => {} });
      const given = { works: false, publicUrl: () => publicUrl, metrics };
      return openServices(config, runtime, database, given, closers);
    };
    const exchange = () => {
      opened ??= open();
      return opened;
    };
    return await work({ config, runtime, database, publicUrl, exchange });
  } finally {
    await closers.closeAll();
  }
}

/**
 * The same for what erases, forgets or revokes: the journal has it before the command answers.
 * Without the master key the service writes it; a served database has backups of its own.
 */
export function inRemovalContext<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  return inContext(async (context) => {
    const result = await work(context);
    const { config, database, runtime } = context;
    const { keyring } = config.secrets;
    if (!keyring || config.secrets.databaseUrl) return result;
    const file = join(config.settings.dataDir, JOURNAL);
    await writeJournal({ database, keyring, clock: runtime.clock, file }).catch((cause) => {
      throw fail('service_unavailable', { cause, message: notWritten(file) });
    });
    return result;
  });
}

function notWritten(file: string): string {
  return `La acción ya se hizo, pero no se pudo anotar en ${file}. El servicio la anota en cuanto pueda escribir ahí; antes de eso, una restauración no la repite.`;
}

/**
 * The configured address, else that of the service running here, which may have chosen its port
 * itself.
 */
async function addressOf({ settings }: Config, database: Database): Promise<string> {
  if (process.env.PUBLIC_URL) return settings.publicUrl;
  return (await keptPublicUrl(database)) ?? settings.publicUrl;
}

export const NO_ORGANIZATION_ID =
  'El identificador de la organización no es válido: es el que muestra create-organization, por ejemplo 0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.';

/** @throws Failure not_found, invalid_request */
export async function organizationOf(
  database: Database,
  id: string | undefined,
): Promise<Organization> {
  if (!isUuid(id)) throw invalid('organization', NO_ORGANIZATION_ID);
  const organization = await database.read((handle) => findOrganization(handle, id));
  if (!organization)
    throw fail('not_found', { message: 'No existe una organización con ese identificador.' });
  return organization;
}

/** An instant, or a whole day from its beginning in Mexico City; null = neither. */
export function momentOf(text: string): Instant | null {
  if (!isDay(text)) return parseInstant(text);
  return Temporal.PlainDate.from(text).toZonedDateTime('America/Mexico_City').toInstant();
}

export function isUuid(text: string | undefined): text is string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? '');
}

function withLocalKey(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.MASTER_KEY) return env;
  try {
    return {
      ...env,
      MASTER_KEY: readFileSync(join(env.DATA_DIR || './data', LOCAL_KEY_FILE), 'utf8').trim(),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return env;
  }
}
