import type { ReadScope } from '../../platform/db/database.ts';
import { MIGRATIONS_DIGEST } from '../../platform/db/schema.ts';
import { fail } from '../../platform/failure.ts';
import { formatMicros } from '../../platform/time.ts';
import * as store from './store.ts';
import { TABLES } from './tables.ts';

/** The first line of a file says what follows. */
export const FORMAT = 'tianguis-organization-1';

/**
 * The lines of an organisation's file: a head, its row, the rows of each table, and an end, each a
 * JSON text. What is sealed stays sealed, with data keys that the master key opens.
 *
 * @param scope reads of one moment
 * @throws Failure not_found
 */
export async function* linesOf(scope: ReadScope): AsyncGenerator<string> {
  const { organizationId, clock } = scope;
  const organization = await store.organizationRow(scope);
  if (organization === null)
    throw fail('not_found', { message: 'No existe una organización con ese identificador.' });
  yield JSON.stringify({
    format: FORMAT,
    schema: MIGRATIONS_DIGEST,
    organization_id: organizationId,
    as_of: formatMicros(clock.now()),
  });
  yield lineOf('organizations', organization);
  let rows = 1;
  for (const table of TABLES) {
    const layout = await store.layoutOf(scope, table);
    let page: string[];
    let last: string | null = null;
    do {
      page = await store.pageOf(scope, layout, last);
      for (const row of page) yield lineOf(table, row);
      rows += page.length;
      last = page.at(-1) ?? null;
    } while (!store.isLastPage(page));
  }
  yield JSON.stringify({ end: true, rows });
}

function lineOf(table: string, row: string): string {
  return `{"table":"${table}","row":${row}}`;
}
