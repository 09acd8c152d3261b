/**
 * The API's documentation for people: a guide, a plain reference, and Scalar over the published
 * OpenAPI document, all of it from here.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Operator } from '../../platform/operator.ts';
import { type Asset, assetOnce, sendAsset } from '../assets.ts';
import { contextOf, noteFailure, sendFailure } from '../http.ts';
import { type Page, POLICY_OF_PAGES, pageText } from '../page.ts';
import type { Surface } from '../surface.ts';
import { scalarBundle } from './bundle.ts';
import { guidePage } from './guide-page.ts';
import { DOCS_PATHS, DOCS_PREFIX } from './paths.ts';
import { type Published, referencePage } from './reference-page.ts';

/** Scalar writes style elements and attributes; nothing else departs from «only from here». */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FILES: Readonly<Record<string, () => Promise<Asset>>> = {
  [DOCS_PREFIX]: assetOnce('text/html', () => own('page.html')),
  '/docs/page.css': assetOnce('text/css', () => own('page.css')),
  '/docs/page.js': assetOnce('text/javascript', () => own('page.js')),
  '/docs/scalar.js': assetOnce('text/javascript', scalarBundle),
};

/**
 * @param options.resource where agents connect; each address is evaluated when it is needed, as
 * `published`: the system may choose the port
 */
export function docsSurface({
  log,
  operator,
  publicUrl,
  resource,
  published,
}: {
  readonly log: Log;
  readonly operator: Operator;
  readonly publicUrl: () => string;
  readonly resource: () => string;
  readonly published: () => readonly Published[];
}): Surface {
  const asset = (page: () => Page | Promise<Page>) =>
    assetOnce('text/html', async () => Buffer.from(pageText(await page(), operator)));
  const pages: typeof FILES = {
    [DOCS_PATHS.guide]: asset(() => guidePage(publicUrl(), resource())),
    [DOCS_PATHS.plain]: asset(() => referencePage(published())),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = ((request.url ?? '').split('?', 1)[0] ?? '').replace(/\/$/, '');
    const load = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (load) return sendAsset(request, response, await load(), POLICY_OF_PAGES);
    const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (!file) throw fail('not_found');
    sendAsset(request, response, await file(), POLICY);
  };
  return {
    prefix: DOCS_PREFIX,
    handle(request, response) {
      answer(request, response).catch((error) => {
        const failure = noteFailure(log, request, error, 'documentation not served');
        sendFailure(response, failure, contextOf(request));
      });
    },
  };
}

function own(file: string): Promise<Buffer> {
  return readFile(new URL(file, import.meta.url));
}
