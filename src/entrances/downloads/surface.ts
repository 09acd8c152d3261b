import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  bytesOf,
  type FormatName,
  fileNameOf,
  getExport,
  type KeptExport,
  noteDownload,
} from '../../features/exports/index.ts';
import { findOrganization } from '../../features/organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { Database } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Instant } from '../../platform/time.ts';
import { DOWNLOADS, type ExportLink, linkOver, openExportLink } from '../export-links.ts';
import { sendFailurePage, wantsPage } from '../failure-page.ts';
import { contextOf, noteFailure, sendFailure } from '../http.ts';
import { isStillLetIn } from '../link-holder.ts';
import type { Surface } from '../surface.ts';
import { rangeOf } from './range.ts';

interface DownloadParts {
  readonly database: Database;
  readonly cursors: CursorMaker;
  readonly clock: Clock;
  readonly log: Log;
}

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const TYPES: Readonly<Record<FormatName, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  xlsx: WORKBOOK,
  excel: WORKBOOK,
};

/** The links that a download was noted for, each with the time that it ends. */
type NotedLinks = Map<string, Instant>;

/** Files of exports, whole or in parts, by a link that lasts a quarter of an hour. */
export function downloadSurface(parts: DownloadParts): Surface {
  const noted: NotedLinks = new Map();
  return {
    prefix: DOWNLOADS,
    handle(request, response) {
      answer(parts, noted, request, response).catch((error) => {
        // A caller that left, or a part of the file that was deleted meanwhile.
        if (response.headersSent) return response.destroy();
        const failure = noteFailure(parts.log, request, error, 'download failed');
        if (wantsPage(request)) sendFailurePage(request, response, failure);
        else sendFailure(response, failure, contextOf(request));
      });
    },
  };
}

async function answer(
  parts: DownloadParts,
  noted: NotedLinks,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!['GET', 'HEAD'].includes(request.method ?? ''))
    throw fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  const text = (request.url ?? '').slice(DOWNLOADS.length).split('?', 1)[0] ?? '';
  const link = openExportLink(parts.cursors, text, parts.clock.now());
  const { organizationId, exportId: id, by } = link;
  const found = await parts.database.read((handle) => findOrganization(handle, organizationId));
  if (!found || found.isSuspended) throw fail('organization_suspended');
  contextOf(request).organizationId = organizationId;
  const organization = parts.database.within(organizationId);
  const kept = await organization.read(async (scope) => {
    const asked = await getExport(scope, id);
    const action = asked.terms.view === 'whole' ? 'read_money' : 'read_orders';
    if (!(await isStillLetIn(scope, by, action))) throw linkOver();
    return asked;
  });
  if (kept.state !== 'done') throw fail('export_not_ready');
  const span = spanOf(request, kept);
  if (!span) return refuseRange(response, kept);
  const isWhole = span.from === 0 && span.to === kept.bytes;
  const isPart = request.headers.range !== undefined && !isWhole;
  response.writeHead(isPart ? 206 : 200, {
    ...headersOf(kept),
    ...(isPart && { 'content-range': `bytes ${span.from}-${span.to - 1}/${kept.bytes}` }),
    'content-length': span.to - span.from,
  });
  if (request.method === 'HEAD') return void response.end();
  if (isNews(noted, text, link, parts.clock.now()) || span.from === 0)
    await organization.write((scope) =>
      noteDownload(scope, { ...by, address: contextOf(request).address }, id),
    );
  await pipeline(Readable.from(bytesOf(organization.read, id, span)), response);
}

/** Of a file that is taken in parts the first one is noted, whichever that is. */
function isNews(noted: NotedLinks, text: string, { until }: ExportLink, now: Instant): boolean {
  for (const [link, end] of noted) if (Temporal.Instant.compare(end, now) <= 0) noted.delete(link);
  const isNew = !noted.has(text);
  noted.set(text, until);
  return isNew;
}

/** A file that is not the one of `If-Range` is given whole. */
function spanOf({ headers }: IncomingMessage, kept: KeptExport) {
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === tagOf(kept);
  return rangeOf(isSame ? headers.range : undefined, kept.bytes);
}

function refuseRange(response: ServerResponse, kept: KeptExport): void {
  response.writeHead(416, { 'content-range': `bytes */${kept.bytes}`, 'content-length': 0 }).end();
}

function headersOf(kept: KeptExport): Record<string, string> {
  const { what, format, terms } = kept;
  const days = [terms.from, terms.to].filter((day) => day !== null);
  return {
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="${fileNameOf(what, days, format)}"`,
    'accept-ranges': 'bytes',
    etag: tagOf(kept),
    'cache-control': 'private, no-store',
  };
}

function tagOf({ id }: KeptExport): string {
  return `"${id}"`;
}
