import { pino } from 'pino';

/** One line per event: a static English message and fields; never a token, a secret, a buyer or a body. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The line of one request; its fields are known to hold no secret and are not searched for any. */
  request(fields: object): void;
}

const SECRET_FIELDS = [
  'authorization',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'key',
  'password',
  'credentials',
];

export function createLog(level: string): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[oculto]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination(),
  );
  const plain = logger.child({}, { redact: [] });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    request: (fields) => plain.info(fields, 'request'),
  };
}

/** Standard error, written beside the work and not in its way; what is left is written when the process ends. */
function destination() {
  const stream = pino.destination({ dest: 2, sync: false, minLength: 4_096, periodicFlush: 100 });
  process.once('exit', () => stream.flushSync());
  return stream;
}
