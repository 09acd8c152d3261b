import type { Log } from '../../src/platform/log.ts';

/** A log whose lines are kept, as JSON. */
export function logInto(lines: string[]): Log {
  const line = (level: string) => (fields: object, message: string) => {
    const shown = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? String(value.stack) : value,
    ]);
    lines.push(JSON.stringify({ level, message, ...Object.fromEntries(shown) }));
  };
  const log: Log = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    request: (_at, fields) => void lines.push(JSON.stringify(fields)),
    of: () => log,
  };
  return log;
}
