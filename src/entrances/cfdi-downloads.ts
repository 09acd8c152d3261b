/** Short-lived links to the XML of tax documents. The link itself is the credential. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  type CfdiFilters,
  foliosOf,
  noteXmlDownload,
  xmlArchive,
  xmlOf,
} from '../features/cfdi/index.ts';
import { findOrganization } from '../features/organizations/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { CursorMaker } from '../platform/cursor.ts';
import type { Database } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { isId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { formatMillis, type Instant } from '../platform/time.ts';
import { contextOf, noteFailure, type RequestContext, sendFailure } from './http.ts';
import { isStillLetIn, type LinkHolder, LinkHolderShape } from './link-holder.ts';
import type { Surface } from './surface.ts';

const PREFIX = '/descargas/cfdi/';
const KIND = 'cfdi_download';
const LASTS_SECONDS = 600;

export interface LinkParts {
  readonly cursors: CursorMaker;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** The organisation whose documents are linked, and who asks. */
interface LinkOwner {
  readonly organizationId: string;
  readonly by: LinkHolder;
}

interface Link {
  readonly url: string;
  readonly expires_at: string;
}

export function linkTo(
  { cursors, clock, publicUrl }: LinkParts,
  { organizationId, by }: LinkOwner,
  uuid: string,
): Link {
  return makeLink(cursors, publicUrl(), clock.now(), [organizationId, by, uuid]);
}

/** To a ZIP of the documents that these filters find when it is downloaded. */
export function linkToArchive(
  { cursors, clock, publicUrl }: LinkParts,
  { organizationId, by }: LinkOwner,
  filters: CfdiFilters,
): Link {
  const { from, to, ...words } = filters;
  const reported = { ...words, from: from?.toString() ?? null, to: to?.toString() ?? null };
  return makeLink(cursors, publicUrl(), clock.now(), [organizationId, by, reported]);
}

function makeLink(
  cursors: CursorMaker,
  base: string,
  now: Instant,
  content: readonly unknown[],
): Link {
  const end = now.add({ seconds: LASTS_SECONDS });
  const token = cursors.make([KIND, end.epochMilliseconds, ...content]);
  return { url: `${base}${PREFIX}${token}`, expires_at: formatMillis(end) };
}

interface DownloadParts extends Omit<LinkParts, 'publicUrl'> {
  readonly database: Database;
  readonly log: Log;
}

export function cfdiDownloads(parts: DownloadParts): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      const context = contextOf(request);
      const token = (request.url ?? '').slice(PREFIX.length);
      const isRead = request.method === 'GET';
      (isRead
        ? send(parts, token, response, context)
        : Promise.reject(fail('method_not_allowed', { headers: { allow: 'GET' } }))
      ).catch((error) => {
        const failure = noteFailure(parts.log, request, error, 'download failed');
        if (response.headersSent) response.destroy();
        else sendFailure(response, failure, context);
      });
    },
  };
}

async function send(
  { database, cursors, clock }: DownloadParts,
  token: string,
  response: ServerResponse,
  { signal, address }: Pick<RequestContext, 'signal' | 'address'>,
): Promise<void> {
  const { organizationId, by, content } = opened(cursors, clock.now(), token);
  const found = await database.read((handle) => findOrganization(handle, organizationId));
  if (!found || found.isSuspended) throw fail('organization_suspended');
  const organization = database.within(organizationId);
  if (!(await organization.read((scope) => isStillLetIn(scope, by, 'read_money')))) throw expired();
  if (typeof content === 'string') {
    const xmls = await organization.read((scope) => xmlOf(scope, [content]), { signal });
    const xml = xmls.get(content);
    if (!xml) throw expired();
    await organization.write((scope) =>
      noteXmlDownload(scope, { ...by, address }, { folio: content }),
    );
    response.writeHead(200, headersOf('application/xml', `${content}.xml`));
    response.end(xml);
    return;
  }
  const folios = await organization.read((scope) => foliosOf(scope, content), { signal });
  await organization.write((scope) =>
    noteXmlDownload(scope, { ...by, address }, { count: folios.length }),
  );
  response.writeHead(200, headersOf('application/zip', 'cfdi.zip'));
  // The time limit is that of the first byte: an archive takes as long as its caller's line.
  const left = new AbortController();
  response.once('close', () => left.abort());
  await pipeline(xmlArchive(organization, folios, left.signal), response);
}

function opened(cursors: CursorMaker, now: Instant, token: string) {
  const [kind, end, organizationId, holder, content] = contentOf(cursors, token);
  const by = LinkHolderShape.safeParse(holder).data;
  const isOurs = kind === KIND && typeof end === 'number' && isId(String(organizationId));
  if (!isOurs || !by || end <= now.epochMilliseconds) throw expired();
  return {
    organizationId: String(organizationId),
    by,
    content: typeof content === 'string' ? content : filtersOf(content as StoredFilters),
  };
}

type StoredFilters = Omit<CfdiFilters, 'from' | 'to'> & {
  readonly from: string | null;
  readonly to: string | null;
};

function filtersOf({ from, to, ...words }: StoredFilters): CfdiFilters {
  return {
    ...words,
    from: from === null ? null : Temporal.Instant.from(from),
    to: to === null ? null : Temporal.Instant.from(to),
  };
}

function contentOf(cursors: CursorMaker, token: string): unknown[] {
  try {
    return cursors.open(token) as unknown[];
  } catch (cause) {
    throw Object.assign(expired(), { cause });
  }
}

function expired() {
  return fail('not_found', { message: 'El enlace ya venció o no es válido. Pide uno nuevo.' });
}

function headersOf(type: string, name: string): Record<string, string> {
  return {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
  };
}
