/**
 * The API's documentation for people: Scalar over the published OpenAPI document, all of it from
 * here.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { type Asset, assetOnce, sendAsset } from '../assets.ts';
import type { Surface } from '../front.ts';
import { contextOf, noteFailure, sendFailure } from '../http.ts';
import { scalarBundle } from './bundle.ts';

const PREFIX = '/docs';

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
  '': assetOnce('text/html', () => own('page.html')),
  '/page.css': assetOnce('text/css', () => own('page.css')),
  '/page.js': assetOnce('text/javascript', () => own('page.js')),
  '/scalar.js': assetOnce('text/javascript', scalarBundle),
};

export function docsSurface(log: Log): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      answer(request, response).catch((error) => {
        const failure = noteFailure(log, request, error, 'documentation not served');
        sendFailure(response, failure, contextOf(request));
      });
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0]?.slice(PREFIX.length).replace(/\/$/, '') ?? '';
  const load = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!load) throw fail('not_found');
  sendAsset(request, response, await load(), POLICY);
}

function own(file: string): Promise<Buffer> {
  return readFile(new URL(file, import.meta.url));
}
