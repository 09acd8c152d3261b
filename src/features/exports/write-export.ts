import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { formatMicros } from '../../platform/time.ts';
import { ordersAsOf } from '../orders/index.ts';
import { columnsOf } from './columns.ts';
import type { ExportRequest, ExportResult } from './export-request.ts';
import { EXPORTS, type Export } from './exports.ts';
import { FORMATS } from './formats.ts';
import { openKeptPart } from './kept-part.ts';
import { openPartFile } from './part-file.ts';
import type { ExportTerms } from './terms.ts';
import { type ExportParts, writeRows } from './write-rows.ts';

/** Raised with another order or choice of rows. */
const WALK = 3;

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
