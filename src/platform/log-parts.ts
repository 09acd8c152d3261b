export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Parts of the program whose lines name them; those of `src/exchange/` are its folders. */
export const LOG_PARTS = [
  'connect',
  'database',
  'guides',
  'http',
  'jobs',
  'sync',
  'webhooks',
  'wire',
] as const;
export type LogPart = (typeof LOG_PARTS)[number];
/** Of the parts that do not have the level of the others. */
export type PartLevels = Readonly<Partial<Record<LogPart, LogLevel>>>;
