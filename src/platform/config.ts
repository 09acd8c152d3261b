import { isIP } from 'node:net';
import type { Operator } from './operator.ts';
import type { Keyring } from './seal.ts';

/** How the house runs; holds nothing secret, so it may be logged. */
export interface Settings {
  readonly role: 'all' | 'api' | 'worker';
  readonly host: string;
  readonly port: number;
  /** With port 0, the port that the house will listen on. */
  readonly publicUrl: string;
  readonly mcpUrl: string;
  /** Besides our own: web origins whose pages may call the agent endpoint. */
  readonly mcpOrigins: readonly string[];
  readonly apiHosts: readonly string[];
  readonly legacyHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  readonly migrate: boolean;
  /** Whom mails come from. */
  readonly mailFrom: string;
  /** Who runs the service, as its users are told; null = no setting says it. */
  readonly supportEmail: string | null;
  readonly operatorName: string | null;
  readonly operatorAddress: string | null;
  /** Null = on our own page. */
  readonly privacyUrl: string | null;
  /** Whether keys and credentials are made only by people with a second factor. */
  readonly secondFactor: 'required' | 'deferred';
  readonly logLevel: string;
  readonly quotaWindowSeconds: number;
  readonly requestTimeoutSeconds: number;
  readonly drainSeconds: number;
  /** How long a document of an order stays after a newer one replaced it. */
  readonly documentsDays: number;
  /** Over how many hours stored orders are rendered anew after a release that renders them otherwise. */
  readonly rerenderHours: number;
  /** Where a marketplace or carrier is really reached, by slug; absent = its own hosts. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Where a carrier makes guides, by slug; absent = where everything else is. */
  readonly guideUrls: Readonly<Record<string, string>>;
}

/** What must never reach a log or an answer. */
interface Secrets {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly smtpUrl: string | null;
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

/** Everything wrong with the environment, one sentence a line, in Spanish. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `La configuración tiene ${faults.length === 1 ? 'un error' : `${faults.length} errores`}:\n- ${faults.join('\n- ')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly about: string;
  readonly example: string;
}

/** Every variable that the house reads; `.env.example` is written from this table. */
export const VARIABLES: Readonly<Record<string, Variable>> = {
  ROLE: { about: 'all | api | worker. api and worker need REDIS_URL and DATABASE_URL.', example: 'all' },
  HOST: { about: 'Address to listen on.', example: '127.0.0.1' },
  PORT: { about: 'Port to listen on; 0 lets the system choose.', example: '3000' },
  PUBLIC_URL: {
    about: 'Address that clients use; https, or http on loopback. Default: http://localhost with PORT.',
    example: '',
  },
  MCP_URL: { about: 'Address of the agent endpoint, without /mcp. Default: PUBLIC_URL.', example: '' },
  MCP_ORIGINS: {
    about: 'Further web origins whose pages may call the agent endpoint, comma separated.',
    example: '',
  },
  API_HOSTS: { about: 'Host names that are served, comma separated. Empty: every host.', example: '' },
  LEGACY_HOSTS: { about: 'Retired host names; they answer 410.', example: '' },
  TRUSTED_PROXIES: { about: 'Addresses or CIDR blocks whose X-Forwarded-For counts.', example: '' },
  DATA_DIR: { about: 'Folder of the embedded database and local files.', example: './data' },
  DATABASE_URL: { about: 'PostgreSQL 15 or newer. Empty: the embedded one.', example: '' },
  REDIS_URL: { about: 'Shared quota counters; needed by several processes.', example: '' },
  SMTP_URL: { about: 'Mail server. Empty: mails are written to DATA_DIR/mail.', example: '' },
  MAIL_FROM: { about: 'Sender of mails. Default: no-responder at the host of PUBLIC_URL.', example: '' },
  SUPPORT_EMAIL: {
    about:
      'Where users write for help; in messages, pages and the OpenAPI document. Empty: they are sent to whoever runs the service.',
    example: '',
  },
  OPERATOR_NAME: {
    about: 'The person or company that runs the service; in the privacy notice and the OpenAPI document.',
    example: '',
  },
  OPERATOR_ADDRESS: { about: 'Their postal address, in one line; in the privacy notice.', example: '' },
  PRIVACY_URL: {
    about: 'A privacy notice of your own. Empty: the page /privacidad, from the three settings above.',
    example: '',
  },
  SECOND_FACTOR: {
    about:
      'required | deferred. deferred: keys and credentials also without a second factor; only where PUBLIC_URL is loopback.',
    example: 'required',
  },
  MASTER_KEY: {
    about: '32 random bytes in base64; seals credentials and documents, signs cursors.',
    example: '',
  },
  MASTER_KEY_PREVIOUS: { about: 'The former MASTER_KEY, during rotate-secrets.', example: '' },
  MIGRATE: { about: 'on | off. off: run `cli migrate` with a role that may alter tables.', example: 'on' },
  LOG_LEVEL: { about: 'debug | info | warn | error | silent', example: 'info' },
  QUOTA_WINDOW_SECONDS: { about: 'Length of the quota window; shorter only in tests.', example: '60' },
  REQUEST_TIMEOUT_SECONDS: { about: 'Limit of one request; shorter only in tests.', example: '15' },
  DRAIN_SECONDS: {
    about: 'When stopping: without a request for so long, connections that wait are closed.',
    example: '2',
  },
  DOCUMENTS_DAYS: {
    about: 'How long a document of an order is kept after a newer one replaced it; the last one stays.',
    example: '90',
  },
  RERENDER_HOURS: {
    about:
      'After a release that shows more or other fields of orders, stored orders are rendered anew over so many hours.',
    example: '24',
  },
};

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];
const ROLES = ['all', 'api', 'worker'] as const;
const SECOND_FACTORS = ['required', 'deferred'] as const;

/**
 * Reads the environment. Pure.
 * @throws ConfigError with every fault at once.
 */
export function readConfig(env: Env): Config {
  const faults: string[] = [];
  const text = (name: string) => (env[name] ?? '').trim() || (VARIABLES[name]?.example ?? '');
  const fault = (sentence: string) => void faults.push(sentence);
  /** Notes the fault and goes on with a stand-in, so that all faults are told at once. */
  const wrong = <T>(sentence: string, standIn: T): T => {
    faults.push(sentence);
    return standIn;
  };

  const port = whole(text('PORT'), 0, 65535) ?? wrong('PORT debe ser un entero entre 0 y 65535.', 0);
  const role =
    ROLES.find((known) => known === text('ROLE')) ??
    wrong('ROLE debe ser all, api o worker.', 'all' as const);
  const logLevel = LOG_LEVELS.includes(text('LOG_LEVEL'))
    ? text('LOG_LEVEL')
    : wrong(`LOG_LEVEL debe ser uno de: ${LOG_LEVELS.join(', ')}.`, 'info');
  if (!['on', 'off'].includes(text('MIGRATE'))) fault('MIGRATE debe ser on u off.');
  const quotaWindowSeconds =
    whole(text('QUOTA_WINDOW_SECONDS'), 1, 60) ??
    wrong('QUOTA_WINDOW_SECONDS debe ser un entero entre 1 y 60.', 60);
  const requestTimeoutSeconds =
    whole(text('REQUEST_TIMEOUT_SECONDS'), 1, 15) ??
    wrong('REQUEST_TIMEOUT_SECONDS debe ser un entero entre 1 y 15.', 15);
  const drainSeconds =
    whole(text('DRAIN_SECONDS'), 0, 2) ?? wrong('DRAIN_SECONDS debe ser un entero entre 0 y 2.', 2);
  const documentsDays =
    whole(text('DOCUMENTS_DAYS'), 1, 3650) ?? wrong('DOCUMENTS_DAYS debe ser un entero entre 1 y 3650.', 90);
  const rerenderHours =
    whole(text('RERENDER_HOURS'), 1, 720) ?? wrong('RERENDER_HOURS debe ser un entero entre 1 y 720.', 24);

  const publicUrl = publicAddress(
    (env.PUBLIC_URL ?? '').trim() || `http://localhost:${port}`,
    'PUBLIC_URL',
    fault,
  );
  const secondFactor =
    SECOND_FACTORS.find((known) => known === text('SECOND_FACTOR')) ??
    wrong('SECOND_FACTOR debe ser required o deferred.', 'required' as const);
  if (secondFactor === 'deferred' && !isLoopback(publicUrl))
    fault(
      'SECOND_FACTOR=deferred es para probar en esta misma máquina: con PUBLIC_URL pública usa required.',
    );
  const mailFrom =
    text('MAIL_FROM') || `Tianguis <no-responder@${URL.parse(publicUrl)?.hostname ?? 'localhost'}>`;
  if (/[\r\n]/.test(mailFrom) || !mailFrom.includes('@'))
    fault('MAIL_FROM debe ser un correo, como: Tianguis <avisos@example.com>');
  const operator = readOperator(text, fault);
  const mcpUrl = publicAddress(text('MCP_URL') || publicUrl, 'MCP_URL', fault);
  const mcpOrigins = list(text('MCP_ORIGINS'));
  for (const origin of mcpOrigins)
    if (URL.parse(origin)?.origin !== origin)
      fault(`MCP_ORIGINS: «${origin}» no es un origen; uno es, por ejemplo, https://agente.example.`);
  const databaseUrl = serviceUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:'], fault);
  const redisUrl = serviceUrl(env, 'REDIS_URL', ['redis:', 'rediss:'], fault);
  const smtpUrl = serviceUrl(env, 'SMTP_URL', ['smtp:', 'smtps:'], fault);
  if (role !== 'all' && !redisUrl)
    fault(`ROLE=${role} necesita REDIS_URL: las cuotas se comparten entre procesos.`);
  if (role !== 'all' && !databaseUrl)
    fault(`ROLE=${role} necesita DATABASE_URL: la base incluida es de un solo proceso.`);

  const trustedProxies = list(text('TRUSTED_PROXIES'));
  for (const block of trustedProxies)
    if (!isAddressBlock(block))
      fault(`TRUSTED_PROXIES: «${block}» no es una dirección IP ni un bloque CIDR.`);

  const current = masterKey(env, 'MASTER_KEY', fault);
  const previous = masterKey(env, 'MASTER_KEY_PREVIOUS', fault);
  if (previous && !current)
    fault('MASTER_KEY_PREVIOUS sin MASTER_KEY no sirve: indica también la clave nueva.');
  const baseUrls = readUrls(env, 'BASE_URL', fault);
  // Whoever answers there could pass for any agent.
  if (baseUrls.client_documents && publicUrl.startsWith('https:'))
    fault('CLIENT_DOCUMENTS_BASE_URL es solo para pruebas: quítala donde PUBLIC_URL usa https.');
  const guideUrls = readUrls(env, 'GUIDE_URL', fault);
  const applications = readApplications(env, fault);

  if (faults.length > 0) throw new ConfigError(faults);
  const settings: Settings = {
    role,
    host: text('HOST'),
    port,
    publicUrl,
    mcpUrl,
    mcpOrigins,
    apiHosts: list(text('API_HOSTS')),
    legacyHosts: list(text('LEGACY_HOSTS')),
    trustedProxies,
    dataDir: text('DATA_DIR'),
    migrate: text('MIGRATE') === 'on',
    mailFrom,
    ...operator,
    secondFactor,
    logLevel,
    quotaWindowSeconds,
    requestTimeoutSeconds,
    drainSeconds,
    documentsDays,
    rerenderHours,
    baseUrls,
    guideUrls,
  };
  const secrets: Secrets = {
    databaseUrl,
    redisUrl,
    smtpUrl,
    keyring: current && { current, previous },
    applications,
  };
  return Object.freeze({ settings: Object.freeze(settings), secrets: Object.freeze(secrets) });
}

/** Variables that exist for each marketplace or carrier, shown for one. */
const FOR_EACH: readonly { readonly about: string; readonly names: readonly string[] }[] = [
  {
    about: 'For each marketplace with a consent page, our application there, for example:',
    names: ['MERCADO_LIBRE_CLIENT_ID', 'MERCADO_LIBRE_CLIENT_SECRET'],
  },
  {
    about: 'And its name on the page of consent, where that is another one, for example:',
    names: ['AMAZON_APP_ID'],
  },
  {
    about: 'Another host for a marketplace or carrier (a test stand), for example:',
    names: ['MERCADO_LIBRE_BASE_URL'],
  },
  {
    about: 'Another host for a carrier’s guides alone (tests of the carrier, contingencies), for example:',
    names: ['PAQUETEXPRESS_GUIDE_URL'],
  },
  {
    about: 'One host for the documents in which agents describe themselves (tests), for example:',
    names: ['CLIENT_DOCUMENTS_BASE_URL'],
  },
];

const OF_SERVICES = ['CLIENT_ID', 'CLIENT_SECRET', 'APP_ID', 'BASE_URL', 'GUIDE_URL'];

/** Every variable that is read, with those of each service. */
export function settingNames(services: readonly string[]): string[] {
  const own = services.flatMap((slug) => OF_SERVICES.map((ending) => `${slug.toUpperCase()}_${ending}`));
  return [...Object.keys(VARIABLES), ...own, 'CLIENT_DOCUMENTS_BASE_URL'];
}

/** What `.env.example` must say. */
export function envExample(): string {
  const fixed = Object.entries(VARIABLES).map(
    ([name, { about, example }]) => `# ${about}\n${name}=${example}\n`,
  );
  const forEach = FOR_EACH.map(({ about, names }) =>
    [`# ${about}`, ...names.map((name) => `# ${name}=`), ''].join('\n'),
  );
  return [...fixed, ...forEach].join('\n');
}

/** The table of settings in the documents. */
export function settingsTable(): string {
  const row = (names: readonly string[], example: string, about: string) =>
    `| ${names.map((name) => `\`${name}\``).join(', ')} | ${example && `\`${example}\``} | ${about.replaceAll('|', 'or')} |`;
  return [
    '| Variable | Default | |',
    '|---|---|---|',
    ...Object.entries(VARIABLES).map(([name, { about, example }]) => row([name], example, about)),
    ...FOR_EACH.map(({ about, names }) => row(names, '', about.replace(', for example:', '.'))),
  ].join('\n');
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
}

function whole(text: string, least: number, most: number): number | null {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

function publicAddress(text: string, name: string, fault: (sentence: string) => void): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    fault(`${name} debe ser una dirección http o https.`);
    return text;
  }
  if (url.protocol === 'http:' && !isLoopback(text))
    fault(`${name} debe usar https: http solo se permite en esta misma máquina.`);
  return url.href.replace(/\/$/, '');
}

/** Whether an address leads to this machine alone. */
export function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address)?.hostname ?? '');
}

function readOperator(text: (name: string) => string, fault: (sentence: string) => void): Operator {
  const [operatorName, operatorAddress] = [text('OPERATOR_NAME') || null, text('OPERATOR_ADDRESS') || null];
  const [supportEmail, privacyUrl] = [text('SUPPORT_EMAIL') || null, text('PRIVACY_URL') || null];
  if (supportEmail !== null && !isMailAddress(supportEmail))
    fault('SUPPORT_EMAIL debe ser un solo correo, como: ayuda@example.com');
  for (const [name, line] of Object.entries({
    OPERATOR_NAME: operatorName,
    OPERATOR_ADDRESS: operatorAddress,
  }))
    if (line !== null && (/\p{Cc}/u.test(line) || line.length > LONGEST_LINE))
      fault(`${name} debe ser una sola línea de ${LONGEST_LINE} caracteres como máximo.`);
  return {
    operatorName,
    operatorAddress,
    supportEmail,
    privacyUrl: privacyUrl === null ? null : publicAddress(privacyUrl, 'PRIVACY_URL', fault),
  };
}

const LONGEST_LINE = 300;

/** One address, and plain, since pages make a link of it. */
function isMailAddress(text: string): boolean {
  return /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i.test(text) && text.length <= LONGEST_MAIL_ADDRESS;
}

const LONGEST_MAIL_ADDRESS = 254;

function serviceUrl(
  env: Env,
  name: string,
  schemes: string[],
  fault: (sentence: string) => void,
): string | null {
  const text = (env[name] ?? '').trim();
  if (text === '') return null;
  if (!schemes.includes(URL.parse(text)?.protocol ?? ''))
    fault(`${name} debe empezar con ${schemes.map((scheme) => `${scheme}//`).join(' o ')}.`);
  return text;
}

function masterKey(env: Env, name: string, fault: (sentence: string) => void): Buffer | null {
  const text = (env[name] ?? '').trim();
  if (text === '') return null;
  const key = Buffer.from(text, 'base64');
  const exact =
    key.length === 32 &&
    key.toString('base64').replaceAll('=', '') ===
      text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '');
  if (!exact || new Set(key).size < 8) {
    fault(
      `${name} debe ser 32 bytes al azar en base64, por ejemplo el resultado de: openssl rand -base64 32`,
    );
    return null;
  }
  return key;
}

function readUrls(
  env: Env,
  ending: 'BASE_URL' | 'GUIDE_URL',
  fault: (sentence: string) => void,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const slug = new RegExp(`^([A-Z][A-Z_]*)_${ending}$`).exec(name)?.[1]?.toLowerCase();
    if (!slug || !value?.trim()) continue;
    const url = URL.parse(value.trim());
    if (!url || !['http:', 'https:'].includes(url.protocol))
      fault(`${name} debe ser una dirección http o https.`);
    else found[slug] = url.origin;
  }
  return found;
}

function readApplications(
  env: Env,
  fault: (sentence: string) => void,
): Record<string, RegisteredApplication> {
  const found: Record<string, RegisteredApplication> = {};
  for (const [name, value] of Object.entries(env)) {
    const prefix = /^([A-Z][A-Z_]*)_CLIENT_ID$/.exec(name)?.[1];
    if (!prefix || !value?.trim()) continue;
    const clientSecret = env[`${prefix}_CLIENT_SECRET`]?.trim();
    if (!clientSecret) fault(`${name} necesita también ${prefix}_CLIENT_SECRET.`);
    else {
      const appId = env[`${prefix}_APP_ID`]?.trim();
      found[prefix.toLowerCase()] = { clientId: value.trim(), clientSecret, ...(appId && { appId }) };
    }
  }
  return found;
}

function isAddressBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || whole(bits, 0, family === 4 ? 32 : 128) !== null;
}
