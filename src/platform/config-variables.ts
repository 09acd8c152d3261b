import {
  addressBlockFault,
  anyText,
  levelsOf,
  listOf,
  mailAddress,
  mailSender,
  oneLine,
  oneOf,
  onOrOff,
  originFault,
  orNone,
  publicAddress,
  sealingKey,
  serviceAddress,
  webOrigin,
  whole,
} from './config-readers.ts';
import { type ServiceVariable, serviceVariable, type Variable } from './config-variable.ts';
import { LOG_LEVELS, LOG_PARTS } from './log-parts.ts';

/** Each setting by its name in the code; none is secret, so they may be logged. */
export const SETTINGS = {
  role: {
    name: 'ROLE',
    about: 'all | api | worker. api and worker need REDIS_URL and DATABASE_URL.',
    default: 'all',
    read: oneOf('all', 'api', 'worker'),
  },
  host: { name: 'HOST', about: 'Address to listen on.', default: '127.0.0.1', read: anyText },
  port: {
    name: 'PORT',
    about: 'Port to listen on; 0 lets the system choose.',
    default: '3000',
    read: whole(0, 65_535),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    about: 'Port of GET /metrics for Prometheus, without authentication. Empty: none.',
    default: '',
    read: orNone(whole(0, 65_535)),
  },
  metricsHost: {
    name: 'METRICS_HOST',
    about: 'Address of METRICS_PORT. Only your monitoring may reach it.',
    default: '127.0.0.1',
    read: anyText,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    about:
      'Address that clients use; https, or http on loopback. Default: http://localhost with PORT.',
    default: ({ port }) => `http://localhost:${port}`,
    read: publicAddress,
  },
  mcpUrl: {
    name: 'MCP_URL',
    about: 'Address of the agent endpoint, without /mcp. Default: PUBLIC_URL.',
    default: ({ publicUrl }) => `${publicUrl}`,
    read: publicAddress,
  },
  mcpOrigins: {
    name: 'MCP_ORIGINS',
    about: 'Further web origins whose pages may call the agent endpoint, comma separated.',
    default: '',
    read: listOf(originFault),
  },
  apiHosts: {
    name: 'API_HOSTS',
    about: 'Host names that are served, comma separated; health checks at any. Empty: every host.',
    default: '',
    read: listOf(),
  },
  legacyHosts: {
    name: 'LEGACY_HOSTS',
    about: 'Retired host names; they answer 410.',
    default: '',
    read: listOf(),
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    about: 'Addresses or CIDR blocks whose X-Forwarded-For counts.',
    default: '',
    read: listOf(addressBlockFault),
  },
  dataDir: {
    name: 'DATA_DIR',
    about: 'Folder of the embedded database and local files.',
    default: './data',
    read: anyText,
  },
  mailFrom: {
    name: 'MAIL_FROM',
    about: 'Sender of mails. Default: no-responder at the host of PUBLIC_URL.',
    default: ({ publicUrl }) => `Tianguis <no-responder@${new URL(`${publicUrl}`).hostname}>`,
    read: mailSender,
  },
  supportEmail: {
    name: 'SUPPORT_EMAIL',
    about:
      'Where users write for help; in messages, pages and the OpenAPI document. Empty: messages refer to the operator of the service.',
    default: '',
    read: orNone(mailAddress),
  },
  operatorName: {
    name: 'OPERATOR_NAME',
    about:
      'The person or company that runs the service; in the privacy notice and the OpenAPI document.',
    default: '',
    read: orNone(oneLine),
  },
  operatorAddress: {
    name: 'OPERATOR_ADDRESS',
    about: 'Their postal address, in one line; in the privacy notice.',
    default: '',
    read: orNone(oneLine),
  },
  privacyUrl: {
    name: 'PRIVACY_URL',
    about:
      'A privacy notice of your own. Empty: the page /privacidad, from the three settings above.',
    default: '',
    read: orNone(publicAddress),
  },
  secondFactor: {
    name: 'SECOND_FACTOR',
    about:
      'required | deferred. deferred: keys and credentials also without a second factor; only where PUBLIC_URL is loopback.',
    default: 'required',
    read: oneOf('required', 'deferred'),
  },
  migrate: {
    name: 'MIGRATE',
    about: 'on | off. off: run `cli migrate` with a role that may alter tables.',
    default: 'on',
    read: onOrOff,
  },
  newerSchema: {
    name: 'NEWER_SCHEMA',
    about:
      'refuse | allow. allow: also start on the schema of the next release, to go back to this one.',
    default: 'refuse',
    read: oneOf('refuse', 'allow'),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    about: 'debug | info | warn | error | silent',
    default: 'info',
    read: oneOf(...LOG_LEVELS),
  },
  logLevels: {
    name: 'LOG_LEVELS',
    about: `Levels of single parts, such as sync=debug,http=warn. Parts: ${LOG_PARTS.join(', ')}.`,
    default: '',
    read: levelsOf(LOG_PARTS, LOG_LEVELS),
  },
  quotaWindowSeconds: {
    name: 'QUOTA_WINDOW_SECONDS',
    about: 'Length of the quota window; shorter only in tests.',
    default: '60',
    read: whole(1, 60),
  },
  requestTimeoutSeconds: {
    name: 'REQUEST_TIMEOUT_SECONDS',
    about: 'Limit of one request; shorter only in tests.',
    default: '15',
    read: whole(1, 15),
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    about: 'When stopping: without a request for so long, connections that wait are closed.',
    default: '2',
    read: whole(0, 2),
  },
  satUrl: {
    name: 'SAT_STATUS_URL',
    about:
      'Address of the SAT service that gives the status of CFDI (https://consultaqr.facturaelectronica.sat.gob.mx/ConsultaCFDIService.svc). Empty: never asked.',
    default: '',
    read: serviceAddress('https', 'http'),
  },
  documentsDays: {
    name: 'DOCUMENTS_DAYS',
    about:
      'How long a document of an order is kept after a newer one replaced it; the last one stays.',
    default: '90',
    read: whole(1, 3_650),
  },
  databaseKind: {
    name: 'DATABASE_KIND',
    about: 'postgresql | citus. citus where DATABASE_URL is that of a Citus coordinator.',
    default: 'postgresql',
    read: oneOf('postgresql', 'citus'),
  },
  rerenderHours: {
    name: 'RERENDER_HOURS',
    about:
      'After a release that shows more or other fields of orders, stored orders are rendered anew over so many hours.',
    default: '24',
    read: whole(1, 720),
  },
} as const satisfies Record<string, Variable<unknown>>;

/** What must never reach a log or an answer. */
export const SECRETS = {
  databaseUrl: {
    name: 'DATABASE_URL',
    about: 'PostgreSQL 15 or newer. Empty: the embedded one.',
    default: '',
    read: serviceAddress('postgres', 'postgresql'),
  },
  databaseDirectUrl: {
    name: 'DATABASE_DIRECT_URL',
    about:
      'The database without its pooler, for locks and notices: DATABASE_URL is then a PgBouncer in transaction mode. Empty: DATABASE_URL gives sessions.',
    default: '',
    read: serviceAddress('postgres', 'postgresql'),
  },
  databaseReplicaUrl: {
    name: 'DATABASE_REPLICA_URL',
    about:
      'A streaming replica of DATABASE_URL, where lists of orders are read; the primary answers what it cannot. Empty: none.',
    default: '',
    read: serviceAddress('postgres', 'postgresql'),
  },
  redisUrl: {
    name: 'REDIS_URL',
    about: 'Quota counters and limits of calls, shared; needed by several processes.',
    default: '',
    read: serviceAddress('redis', 'rediss'),
  },
  smtpUrl: {
    name: 'SMTP_URL',
    about: 'Mail server. Empty: mails are written to DATA_DIR/mail.',
    default: '',
    read: serviceAddress('smtp', 'smtps'),
  },
  masterKey: {
    name: 'MASTER_KEY',
    about: '32 random bytes in base64; seals credentials, signs cursors.',
    default: '',
    read: sealingKey,
  },
  masterKeyPrevious: {
    name: 'MASTER_KEY_PREVIOUS',
    about: 'The former MASTER_KEY, during rotate-secrets.',
    default: '',
    read: sealingKey,
  },
} as const satisfies Record<string, Variable<unknown>>;

export const SERVICE_VARIABLES = {
  clientIds: {
    ending: 'CLIENT_ID',
    about: 'For each marketplace with a consent page, our application there, for example:',
    shownFor: 'MERCADO_LIBRE',
    read: anyText,
  },
  clientSecrets: {
    ending: 'CLIENT_SECRET',
    about: 'And its secret, for example:',
    shownFor: 'MERCADO_LIBRE',
    read: anyText,
  },
  appIds: {
    ending: 'APP_ID',
    about: 'And its name on the page of consent, where that is another one, for example:',
    shownFor: 'AMAZON',
    read: anyText,
  },
  baseUrls: {
    ending: 'BASE_URL',
    about:
      'Another host for a marketplace or carrier (a test stand), or for the documents in which agents describe themselves (CLIENT_DOCUMENTS_BASE_URL), for example:',
    shownFor: 'MERCADO_LIBRE',
    read: webOrigin,
  },
  guideUrls: {
    ending: 'GUIDE_URL',
    about:
      'Another host for a carrier’s guides alone (tests of the carrier, contingencies), for example:',
    shownFor: 'PAQUETEXPRESS',
    read: webOrigin,
  },
} as const satisfies Record<string, ServiceVariable<unknown>>;

/** In place of a service: where agents describe themselves. */
export const CLIENT_DOCUMENTS = 'client_documents';

/** Every variable that is read, with those of each service. */
export function variableNames(services: readonly string[]): string[] {
  const fixed = [...Object.values(SETTINGS), ...Object.values(SECRETS)].map(({ name }) => name);
  const ofServices = Object.values(SERVICE_VARIABLES).flatMap(({ ending }) =>
    services.map((slug) => serviceVariable(slug, ending)),
  );
  const { ending } = SERVICE_VARIABLES.baseUrls;
  return [...fixed, ...ofServices, serviceVariable(CLIENT_DOCUMENTS, ending)];
}
