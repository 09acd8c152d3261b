import { pino } from 'pino';

/** One line per event: a static English message and fields; never a token, a secret, a buyer or a body. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
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

export function createLog(level: string, destination: { write(line: string): void } = process.stderr): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[oculto]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
