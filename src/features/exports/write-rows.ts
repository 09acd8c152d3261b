import type { Clock } from '../../platform/clock.ts';
import type { Database, ReadScope } from '../../platform/db/database.ts';
import type { ExportRequest, ExportResult } from './export-request.ts';
import { EXPORTS, type Export } from './exports.ts';
import { FORMATS } from './formats.ts';
import { openPace } from './pace.ts';
import type { PartFile, Progress } from './part.ts';

export interface ExportParts {
  readonly database: Pick<Database, 'within'>;
  readonly clock: Clock;
  /** After each page; the next one waits for it. */
  onProgress(rows: number): Promise<void> | void;
}

/** So many pages are lost at most with a process that is killed. */
const PAGES_BETWEEN_NOTES = 20;

export async function writeRows(
  scope: ReadScope,
  part: PartFile,
  from: Progress,
  { clock, what, format, terms, onProgress }: ExportParts & ExportRequest,
): Promise<ExportResult> {
  const kind: Export = EXPORTS[what];
  const { isResumable } = FORMATS[format];
  const { write } = part;
  const isEmpty = part.size() === 0;
  const writer = await FORMATS[format].open({
    row: kind.row(terms.view),
    what,
    terms,
    asOf: from.asOf,
    scope,
    isEmpty,
    write,
  });
  const pace = openPace(clock);
  let { place: position, rows } = from;
  let pages = 0;
  try {
    do {
      const page = await kind.page(scope, position, terms);
      await writer.addRows(page.rows);
      rows += page.rows.length;
      position = page.next;
      await onProgress(rows);
      if (isResumable && position !== null && ++pages % PAGES_BETWEEN_NOTES === 0)
        await part.keep({ ...from, place: position, rows, bytes: part.size() });
      await pace.rest();
    } while (position !== null);
    await writer.end();
  } finally {
    writer.abandon();
  }
  await part.finish();
  return { rows, bytes: part.size(), asOf: from.asOf };
}
