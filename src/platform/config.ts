import { ConfigError, isLoopback, type Reader } from './config-readers.ts';
import { type ServiceVariable, serviceVariable, type Variable } from './config-variable.ts';
import { CLIENT_DOCUMENTS, SECRETS, SERVICE_VARIABLES, SETTINGS } from './config-variables.ts';
import type { Keyring } from './seal.ts';

export { ConfigError };

type Table = Readonly<Record<string, { readonly read: Reader<unknown> }>>;
type Values<Of extends Table> = { readonly [Key in keyof Of]: ReturnType<Of[Key]['read']> };

/** How the process runs; holds nothing secret, so it may be logged. */
export interface Settings extends Values<typeof SETTINGS> {
  /** Where a marketplace or carrier is really reached, by slug; absent = its own hosts. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Where a carrier makes guides, by slug; absent = where everything else is. */
  readonly guideUrls: Readonly<Record<string, string>>;
}

/** What must never reach a log or an answer. */
interface Secrets extends Omit<Values<typeof SECRETS>, 'masterKey' | 'masterKeyPrevious'> {
  readonly keyring: Keyring | null;
  /** Our own application at each marketplace that has a consent page, by slug. */
  readonly applications: Readonly<Record<string, RegisteredApplication>>;
}

/** `appId`: where the marketplace has a name of its own for the page of consent. */
interface RegisteredApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly appId?: string;
}

export interface Config {
  readonly settings: Settings;
  readonly secrets: Secrets;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What several variables must keep together. */
interface Rule {
  /** The variable at fault; where it was refused by itself already, the rule is not asked. */
  readonly variable: string;
  isBroken(settings: Settings, secrets: Secrets): boolean;
  sentence(settings: Settings): string;
}

const RULES: readonly Rule[] = [
  {
    variable: 'SECOND_FACTOR',
    isBroken: ({ secondFactor, publicUrl }) =>
      secondFactor === 'deferred' && !isLoopback(publicUrl),
    sentence: () =>
      'SECOND_FACTOR=deferred es para probar en esta misma máquina: con PUBLIC_URL pública usa required.',
  },
  {
    variable: 'REDIS_URL',
    isBroken: ({ role }, { redisUrl }) => role !== 'all' && redisUrl === null,
    sentence: ({ role }) =>
      `ROLE=${role} necesita REDIS_URL: las cuotas se comparten entre procesos.`,
  },
  {
    variable: 'DATABASE_URL',
    isBroken: ({ role }, { databaseUrl }) => role !== 'all' && databaseUrl === null,
    sentence: ({ role }) =>
      `ROLE=${role} necesita DATABASE_URL: la base incluida es de un solo proceso.`,
  },
  {
    variable: 'DATABASE_DIRECT_URL',
    isBroken: (_settings, { databaseUrl, databaseDirectUrl }) =>
      databaseDirectUrl !== null && databaseUrl === null,
    sentence: () =>
      'DATABASE_DIRECT_URL necesita DATABASE_URL, la dirección de PgBouncer para la misma base.',
  },
  {
    variable: 'DATABASE_REPLICA_URL',
    isBroken: (_settings, { databaseUrl, databaseReplicaUrl }) =>
      databaseReplicaUrl !== null && databaseUrl === null,
    sentence: () =>
      'DATABASE_REPLICA_URL necesita DATABASE_URL: la base incluida no tiene réplicas.',
  },
  {
    // A server at that address could pass for any agent.
    variable: 'CLIENT_DOCUMENTS_BASE_URL',
    isBroken: ({ baseUrls, publicUrl }) =>
      baseUrls.client_documents !== undefined && publicUrl.startsWith('https:'),
    sentence: () =>
      'CLIENT_DOCUMENTS_BASE_URL es solo para pruebas: quítala donde PUBLIC_URL usa https.',
  },
];

/**
 * Reads the environment. Pure.
 * @param services slugs of marketplaces and carriers, which have variables of their own
 * @throws ConfigError with every fault at once.
 */
export function readConfig(env: Env, services: readonly string[]): Config {
  const faults = new Map<string, readonly string[]>();
  const { baseUrls, guideUrls, ...ofApplications } = readOfServices(env, services, faults);
  const { masterKey, masterKeyPrevious, ...addresses } = readTable(SECRETS, env, faults);
  const settings: Settings = { ...readTable(SETTINGS, env, faults), baseUrls, guideUrls };
  const secrets: Secrets = {
    ...addresses,
    keyring: keyringOf(masterKey, masterKeyPrevious, faults),
    applications: applicationsOf(ofApplications, faults),
  };
  for (const { variable, isBroken, sentence } of RULES)
    if (!faults.has(variable) && isBroken(settings, secrets))
      faults.set(variable, [sentence(settings)]);
  if (faults.size > 0) throw new ConfigError([...faults.values()].flat());
  return Object.freeze({ settings: Object.freeze(settings), secrets: Object.freeze(secrets) });
}

type Faults = Map<string, readonly string[]>;

function readTable<Of extends Readonly<Record<string, Variable<unknown>>>>(
  table: Of,
  env: Env,
  faults: Faults,
): Values<Of> {
  const values: Record<string, unknown> = {};
  for (const [key, { name, default: fallback, read }] of Object.entries(table)) {
    const otherwise = typeof fallback === 'string' ? fallback : fallback(values);
    const given = (env[name] ?? '').trim() || otherwise;
    values[key] = orNoted(faults, name, () => read(given, name)) ?? read(otherwise, name);
  }
  return values as Values<Of>;
}

type OfServices = {
  readonly [Key in keyof typeof SERVICE_VARIABLES]: Readonly<
    Record<string, Values<typeof SERVICE_VARIABLES>[Key]>
  >;
};

/** By slug. */
function readOfServices(env: Env, services: readonly string[], faults: Faults): OfServices {
  const readEach = <Value>(
    { ending, read }: ServiceVariable<Value>,
    slugs: readonly string[] = services,
  ) => {
    const found: Record<string, Value> = {};
    for (const slug of slugs) {
      const name = serviceVariable(slug, ending);
      const text = env[name]?.trim();
      if (!text) continue;
      const accepted = orNoted(faults, name, () => read(text, name));
      if (accepted !== undefined) found[slug] = accepted;
    }
    return found;
  };
  const { clientIds, clientSecrets, appIds, baseUrls, guideUrls } = SERVICE_VARIABLES;
  return {
    clientIds: readEach(clientIds),
    clientSecrets: readEach(clientSecrets),
    appIds: readEach(appIds),
    baseUrls: readEach(baseUrls, [...services, CLIENT_DOCUMENTS]),
    guideUrls: readEach(guideUrls),
  };
}

/** Notes the fault and goes on, so that all faults are reported at once. */
function orNoted<Value>(faults: Faults, name: string, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.set(name, error.faults);
    return undefined;
  }
}

function keyringOf(
  current: Buffer | null,
  previous: Buffer | null,
  faults: Faults,
): Keyring | null {
  if (current) return { current, previous };
  if (previous && !faults.has('MASTER_KEY'))
    faults.set('MASTER_KEY_PREVIOUS', [
      'MASTER_KEY_PREVIOUS sin MASTER_KEY no sirve: indica también la clave nueva.',
    ]);
  return null;
}

function applicationsOf(
  { clientIds, clientSecrets, appIds }: Pick<OfServices, 'clientIds' | 'clientSecrets' | 'appIds'>,
  faults: Faults,
): Record<string, RegisteredApplication> {
  const found: Record<string, RegisteredApplication> = {};
  for (const [slug, clientId] of Object.entries(clientIds)) {
    const clientSecret = clientSecrets[slug];
    const appId = appIds[slug];
    const prefix = slug.toUpperCase();
    if (clientSecret !== undefined)
      found[slug] = { clientId, clientSecret, ...(appId && { appId }) };
    else
      faults.set(`${prefix}_CLIENT_SECRET`, [
        `${prefix}_CLIENT_ID necesita también ${prefix}_CLIENT_SECRET.`,
      ]);
  }
  return found;
}
