import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { OrganizationDatabase, ReadScope } from '../../platform/db/database.ts';
import { formatMicros } from '../../platform/time.ts';
import { ordersAsOf } from '../orders/index.ts';
import { columnsOf } from './columns.ts';
import { EXPORTS, type Export, type Exported } from './exports.ts';
import { FORMATS, type FormatName } from './formats.ts';
import { openPartFile } from './part-file.ts';

interface ExportRequest {
  readonly organization: OrganizationDatabase;
  readonly clock: Clock;
  readonly what: Exported;
  readonly format: FormatName;
  readonly file: string;
  /** After each page; the next one waits for it. */
  onProgress(rows: number): Promise<void> | void;
}

export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
}

/** So many pages are lost at most with a process that is killed. */
const PAGES_BETWEEN_NOTES = 4;

/**
 * Writes all rows of one kind to a file, as they were at one moment. The file appears when it is
 * whole. A walk that was cut off is gone on with as long as nothing has changed since; else it
 * begins anew, as of a later moment.
 */
export async function writeExport(request: ExportRequest): Promise<ExportResult> {
  return request.organization.snapshot((scope) => writeRows(scope, request));
}

async function writeRows(
  scope: ReadScope,
  { clock, what, format, file, onProgress }: ExportRequest,
): Promise<ExportResult> {
  const kind: Export = EXPORTS[what];
  const isResumable = kind.isClocked && FORMATS[format].isResumable;
  const asOf = kind.isClocked ? (await ordersAsOf(scope)).text : formatMicros(clock.now());
  const of = [scope.organizationId, what, format, digestOf(kind), asOf].join(' ');
  const part = await openPartFile(file, of);
  try {
    const { write } = part;
    const isEmpty = part.size() === 0;
    const writer = await FORMATS[format].open({ row: kind.row, name: what, isEmpty, write });
    let { place, rows } = part.progress;
    let pages = 0;
    try {
      do {
        const page = await kind.page(scope, place);
        await writer.addRows(page.rows);
        rows += page.rows.length;
        place = page.next;
        await onProgress(rows);
        if (isResumable && place !== null && ++pages % PAGES_BETWEEN_NOTES === 0)
          await part.keep({ of, place, rows, bytes: part.size() });
      } while (place !== null);
      await writer.end();
    } finally {
      writer.abandon();
    }
    await part.finish();
    return { rows, bytes: part.size(), asOf };
  } finally {
    await part.close();
  }
}

/** Rows of another release may have other columns: its part is not gone on with. */
function digestOf({ row }: Export): string {
  return createHash('sha256')
    .update(JSON.stringify(columnsOf(row)))
    .digest('base64url');
}
