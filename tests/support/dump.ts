/** What a copy of the database shows. */
import { brotliDecompressSync } from 'node:zlib';
import type { TestApp } from './app.ts';
import { query } from './market.ts';

/**
 * Every value of every table, as text; what is compressed, too, as it was before.
 * @param except columns that may hold it, as `public.shipments.destination`
 */
export function dumpOf(own: TestApp, except: readonly string[] = []): Promise<string[]> {
  return dumpBy((text) => query(own, text), except);
}

/** The same of a database, by what asks it. */
export async function dumpBy(
  ask: (text: string) => Promise<Record<string, unknown>[]>,
  except: readonly string[] = [],
): Promise<string[]> {
  const tables = await ask(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'queue')",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await ask(`select to_jsonb(t) as row from ${name} t`);
    for (const { row } of rows)
      for (const [column, value] of Object.entries(row as object))
        if (!except.includes(`${name}.${column}`)) texts.push(`${name} ${readable(value)}`);
  }
  return texts;
}

/** Which of them a dump shows, each behind its table. */
export function shownIn(dump: readonly string[], secrets: ReadonlySet<string>): string[] {
  return dump.flatMap((text) =>
    [...secrets]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${text.split(' ')[0]}: ${secret}`),
  );
}

function readable(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('\\x')) return JSON.stringify(value);
  const bytes = Buffer.from(value.slice(2), 'hex');
  try {
    return brotliDecompressSync(bytes).toString();
  } catch {
    return bytes.toString('latin1');
  }
}
