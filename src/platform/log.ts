import { pino } from 'pino';
import type { LogLevel, LogPart, PartLevels } from './log-parts.ts';
import { formatEpochMillis } from './time.ts';

/**
 * One line per event: a static English message and fields; never a token, a secret, a buyer or a
 * body.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /**
   * The line of one request, at epoch milliseconds; its fields hold no secret and are not searched
   * for any.
   */
  request(at: number, fields: object): void;
  /** The log of a part: its lines have the field `part`, and the level that is set for it. */
  of(part: LogPart): Log;
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

/** Where all levels are `silent` no destination is opened: its timer would run ten times a second. */
export function createLog(level: LogLevel, levels: PartLevels = {}): Log {
  if ([level, ...Object.values(levels)].every((one) => one === 'silent')) return SILENT;
  const stream = destination((lines) =>
    logger.warn({ lines }, 'log lines dropped: they were not read in time'),
  );
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
        censor: '[oculto]',
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const parts = new Map<LogPart, Log>();
  const all: Log = {
    ...writing(logger, stream, ''),
    of(part) {
      const known = parts.get(part);
      if (known) return known;
      const child = logger.child({ part }, { level: levels[part] ?? level });
      const made = { ...writing(child, stream, `"part":"${part}",`), of: all.of };
      parts.set(part, made);
      return made;
    },
  };
  return all;
}

/** @param part the JSON of that field */
function writing(
  logger: pino.Logger,
  stream: pino.DestinationStream,
  part: string,
): Omit<Log, 'of'> {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    // As pino would write it, in a third of the time: every request waits for its line.
    request(at, fields) {
      if (!logger.isLevelEnabled('info')) return;
      const time = formatEpochMillis(at);
      stream.write(
        `{"level":"info","time":"${time}",${part}${JSON.stringify(fields).slice(1, -1)},"msg":"request"}\n`,
      );
    },
  };
}

const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  request: () => {},
  of: () => SILENT,
};

/** The bound of lines that wait to be written, for a reader that has stopped. */
const MOST_WAITING_BYTES = 8_000_000;

interface Sink {
  write(bytes: Buffer): boolean;
  on(event: 'drop' | 'drain', listener: () => void): void;
}

/**
 * Standard error, written beside the work and not in its way; what is left pino writes when the
 * process ends.
 * @param onDropped called with the number of dropped lines, once the rest is written
 */
function destination(onDropped: (lines: number) => void): pino.DestinationStream {
  const sink = pino.destination({
    dest: 2,
    sync: false,
    minLength: 16_000,
    maxLength: MOST_WAITING_BYTES,
    periodicFlush: 100,
    contentMode: 'buffer',
  } as object) as unknown as Sink;
  let dropped = 0;
  sink.on('drop', () => dropped++);
  sink.on('drain', () => {
    const lines = dropped;
    dropped = 0;
    if (lines > 0) onDropped(lines);
  });
  // As bytes: of texts, all that wait would be copied for every line.
  return { write: (line) => void sink.write(Buffer.from(line)) };
}
