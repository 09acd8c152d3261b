import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database, ReadScope } from '../../platform/db/database.ts';
import { formatMicros } from '../../platform/time.ts';
import { ordersAsOf } from '../orders/index.ts';
import { columnsOf } from './columns.ts';
import { EXPORTS, type Export, type Exported } from './exports.ts';
import { FORMATS, type FormatName } from './formats.ts';
import { openKeptPart } from './kept-part.ts';
import { openPace } from './pace.ts';
import { openPartFile, type PartFile, type Progress } from './part-file.ts';
import type { ExportTerms } from './terms.ts';

export interface ExportRequest {
  readonly organizationId: string;
  readonly what: Exported;
  readonly format: FormatName;
  readonly terms: ExportTerms;
  /** Where the rows go: a file, or an export that is kept, by its id. */
  readonly to: { readonly file: string } | { readonly kept: string };
}

interface ExportParts {
  readonly database: Pick<Database, 'within'>;
  readonly clock: Clock;
  /** After each page; the next one waits for it. */
  onProgress(rows: number): Promise<void> | void;
}

export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
}

/** Raised with another order or choice of rows. */
const WALK = 3;

/** So many pages are lost at most with a process that is killed. */
const PAGES_BETWEEN_NOTES = 20;

/**
 * Writes all rows of one kind to a file, as they were at one moment. The file appears when it is
 * whole. One that was cut off is gone on with from the same moment while the database keeps it;
 * else it begins anew, as of a later moment.
 */
export async function writeExport(
  parts: ExportParts,
  request: ExportRequest,
): Promise<ExportResult> {
  const { organizationId, what, format, terms, to } = request;
  const of = [organizationId, what, format, digestOf(EXPORTS[what], terms)].join(' ');
  const part =
    'file' in to
      ? await openPartFile(to.file, of)
      : await openKeptPart(parts.database.within(organizationId), to.kept, of);
  try {
    const earlier = part.kept?.snapshot ?? null;
    const organization = parts.database.within(organizationId);
    return await organization.snapshot(earlier, async (scope, snapshot) => {
      const kept = part.kept?.snapshot === snapshot ? part.kept : null;
      const asOf = kept?.asOf ?? (await instantOf(scope, parts.clock, EXPORTS[what]));
      const begin = { of, snapshot, asOf, place: null, rows: 0, bytes: 0 };
      const from = FORMATS[format].isResumable && kept ? kept : begin;
      await part.goOn(from);
      return writeRows(scope, part, from, { ...parts, ...request });
    });
  } finally {
    await part.close();
  }
}

async function writeRows(
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

/** Rows without a delta clock are as of the time just before the first read. */
async function instantOf(scope: ReadScope, clock: Clock, { isClocked }: Export): Promise<string> {
  return isClocked ? (await ordersAsOf(scope)).text : formatMicros(clock.now());
}

/** Rows of another release may have other columns, or another order: its part is not gone on with. */
function digestOf({ row }: Export, terms: ExportTerms): string {
  return createHash('sha256')
    .update(JSON.stringify([WALK, columnsOf(row(terms.view)), terms]))
    .digest('base64url');
}
