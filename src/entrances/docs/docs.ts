/** The API's documentation for people: Scalar over the published OpenAPI document, all of it from here. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Surface } from '../front.ts';
import { contextOf, noteFailure, sendFailure } from '../http.ts';
import { scalarBundle } from './bundle.ts';

/** A file as it goes over the wire; by its tag a browser that has it asks for nothing more. */
interface Asset {
  readonly type: string;
  readonly tag: string;
  readonly bodies: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
}

const PREFIX = '/docs';
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

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
  '': once('text/html', () => own('page.html')),
  '/page.css': once('text/css', () => own('page.css')),
  '/page.js': once('text/javascript', () => own('page.js')),
  '/scalar.js': once('text/javascript', scalarBundle),
};

export function docsSurface(log: Log): Surface {
  return {
    prefix: PREFIX,
    handle(request, response) {
      answer(request, response).catch((error) => {
        const failure = noteFailure(log, request, error, 'documentation not served');
        sendFailure(response, failure, contextOf(request).id);
      });
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0]?.slice(PREFIX.length).replace(/\/$/, '') ?? '';
  const load = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!load) throw fail('not_found');
  if (!['GET', 'HEAD'].includes(request.method ?? ''))
    throw fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  const { type, tag, bodies } = await load();
  const encoding = encodingFor(String(request.headers['accept-encoding'] ?? ''));
  const headers = {
    'cache-control': 'public, no-cache',
    etag: tag,
    vary: 'accept-encoding',
    'content-security-policy': POLICY,
  };
  if (request.headers['if-none-match']?.includes(tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    'content-type': `${type}; charset=utf-8`,
    'content-length': bodies[encoding].length,
  });
  response.end(bodies[encoding]);
}

function encodingFor(accepted: string): keyof Asset['bodies'] {
  const taken = accepted
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .filter(([, weight = '']) => !/^q=0(\.0*)?$/.test(weight))
    .map(([coding]) => coding);
  return (['br', 'gzip'] as const).find((coding) => taken.includes(coding)) ?? 'identity';
}

/** Loaded and compressed when first asked for, then kept. */
function once(type: string, load: () => Promise<Buffer>): () => Promise<Asset> {
  let asset: Promise<Asset> | null = null;
  return () => {
    asset ??= prepare(type, load).catch((error) => {
      asset = null;
      throw error;
    });
    return asset;
  };
}

async function prepare(type: string, load: () => Promise<Buffer>): Promise<Asset> {
  const identity = await load();
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, BROTLI),
    promisify(gzip)(identity),
  ]);
  // Weak: one tag for all encodings.
  const tag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`;
  return { type, tag, bodies: { br, gzip: gzipped, identity } };
}

function own(file: string): Promise<Buffer> {
  return readFile(new URL(file, import.meta.url));
}
