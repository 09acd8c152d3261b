/** Static files of pages: compressed once, and answered with 304 where the browser has them. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fail } from '../platform/failure.ts';
import { type Encoding, encodingFor } from './encoding.ts';

/** A file as it goes over the wire; by its tag a browser that has it asks for nothing more. */
export interface Asset {
  readonly type: string;
  readonly tag: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** `hashed`: the name changes with the content. `checked`: the browser asks whether it changed. */
type Caching = 'checked' | 'hashed';
const CACHING: Readonly<Record<Caching, string>> = {
  checked: 'public, no-cache',
  hashed: 'public, max-age=31536000, immutable',
};

/** @throws Failure method_not_allowed */
export function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  { type, tag, bodies }: Asset,
  policy: string,
  caching: Caching = 'checked',
): void {
  if (!['GET', 'HEAD'].includes(request.method ?? ''))
    throw fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  const encoding = encodingFor(request.headers['accept-encoding'] as string | undefined);
  const headers = {
    'cache-control': CACHING[caching],
    etag: tag,
    vary: 'accept-encoding',
    'content-security-policy': policy,
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

/**
 * Loaded and compressed when first asked for, then kept.
 * @param loadBrotli what was compressed before; left out, Brotli is made here
 */
export function assetOnce(
  type: string,
  load: () => Promise<Buffer>,
  loadBrotli?: () => Promise<Buffer>,
): () => Promise<Asset> {
  let asset: Promise<Asset> | null = null;
  return () => {
    asset ??= prepare(type, load, loadBrotli).catch((error) => {
      asset = null;
      throw error;
    });
    return asset;
  };
}

async function prepare(
  type: string,
  load: () => Promise<Buffer>,
  loadBrotli?: () => Promise<Buffer>,
): Promise<Asset> {
  const identity = await load();
  const [br, gzipped] = await Promise.all([
    loadBrotli?.() ?? promisify(brotliCompress)(identity, BROTLI),
    promisify(gzip)(identity),
  ]);
  // Weak: one tag for all encodings.
  const tag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`;
  return { type, tag, bodies: { br, gzip: gzipped, identity } };
}
