import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { encodingFor } from '../encoding.ts';

/** What is shorter fits a packet as it is. */
const FROM_LENGTH = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Compresses answers as callers ask. A hook of the whole app runs before that which takes a HEAD's
 * body away, so that HEAD has the length of the same GET.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') return done(null, payload);
    reply.header('vary', 'accept-encoding');
    const encoding = encodingFor(request.headers['accept-encoding'] as string | undefined);
    if (encoding === 'identity' || payload.length < FROM_LENGTH) return done(null, payload);
    reply.header('content-encoding', encoding);
    if (encoding === 'br') brotliCompress(payload, BROTLI, done);
    else gzip(payload, done);
  });
}
