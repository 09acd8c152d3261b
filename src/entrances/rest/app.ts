import type { IncomingMessage } from 'node:http';
import compress from '@fastify/compress';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Failure, fail, invalid } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Surface } from '../front.ts';
import { contextOf, failureBody, noteFailure } from '../http.ts';
import { admit, type GuardParts } from './guard.ts';
import { openApiDocument } from './openapi.ts';
import { OPERATIONS, type OperationParts } from './operations.ts';
import type { RawQuery } from './parameters.ts';

interface RestParts extends GuardParts, OperationParts {
  /** Asked when somebody wants the document. */
  readonly publicUrl: () => string;
  readonly log: Log;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const ALLOWED = { headers: { allow: 'GET, HEAD' } };
const COMPRESS_FROM_BYTES = 1_024;
// The front bounds the whole address; an id within it is looked for.
const LONGEST_ID = 8_192;

/** REST v1: key → plan → scope → quota → validation → the operation. */
export async function openRest(parts: RestParts): Promise<Surface> {
  const app = fastify({
    routerOptions: { maxParamLength: LONGEST_ID },
    genReqId: (raw) => contextOf(raw as IncomingMessage).id,
    // An address that cannot be decoded needs a key like any other.
    frameworkErrors: (error, request, reply) =>
      void admit(parts, request.raw, null)
        .then(() => error)
        .catch((failure) => failure)
        .then((failure) => answerError(parts.log, failure, request, reply)),
  });
  // No operation takes a body; whatever comes along is left unread.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => answerError(parts.log, error, request, reply));
  await app.register(compress, {
    threshold: COMPRESS_FROM_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { 1: 4 } },
    globalDecompression: false,
  });

  // Before Fastify looks at the body, which would come ahead of the key.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    refuseUnrouted(parts, request).catch(done);
  });

  for (const operation of OPERATIONS) {
    app.get(operation.path.replace('{id}', ':id'), async (request, reply) => {
      const access = await admit(parts, request.raw, operation.scope);
      refuseMalformed(request.url);
      const { id: requestId, signal } = contextOf(request.raw);
      const { id = '' } = request.params as { id?: string };
      const body = await operation.run(parts, {
        access,
        query: request.query as RawQuery,
        id,
        requestId,
        signal,
      });
      reply.header('content-type', JSON_TYPE);
      return body;
    });
  }
  let document = '';
  app.get('/v1/openapi.json', async (_request, reply) => {
    document ||= JSON.stringify(openApiDocument(parts.publicUrl()));
    reply.header('content-type', JSON_TYPE);
    return document;
  });
  await app.ready();
  // The front owns the socket; Fastify routes and answers.
  return { prefix: '/v1', handle: (request, response) => app.routing(request, response) };
}

async function refuseUnrouted(parts: GuardParts, request: FastifyRequest): Promise<never> {
  if (!isOpen(request)) await admit(parts, request.raw, null);
  throw unrouted(request);
}

function unrouted(request: FastifyRequest): Failure {
  const path = request.url.split('?', 1)[0] ?? '';
  const known = [...OPERATIONS.map((operation) => operation.path), '/v1/openapi.json'];
  const exists = known.some((route) =>
    new RegExp(`^${route.replace('{id}', '[^/]+').replaceAll('.', '\\.')}$`).test(path),
  );
  return exists && !['GET', 'HEAD'].includes(request.method)
    ? fail('method_not_allowed', ALLOWED)
    : fail('not_found');
}

/** Half an escape, such as `%zz`, is no text; the query parser would take it as it stands. */
function refuseMalformed(url: string): void {
  if (!url.includes('%')) return;
  const bad = url
    .split('?')[1]
    ?.split('&')
    .find((part) => !isDecodable(part));
  if (bad !== undefined)
    throw invalid(
      bad.split('=', 1)[0] ?? '',
      'La consulta tiene caracteres mal codificados: cada % va seguido de dos dígitos hexadecimales en UTF-8.',
    );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isOpen(request: FastifyRequest): boolean {
  return request.url.split('?', 1)[0] === '/v1/openapi.json';
}

function answerError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const thrown = error instanceof Failure ? error : fromFramework(error);
  const failure = noteFailure(log, request.raw, thrown, 'request failed');
  reply
    .code(failure.status)
    .headers(failure.headers)
    .header('content-type', JSON_TYPE)
    .send(failureBody(failure, contextOf(request.raw).id));
}

/** What Fastify refuses by itself: bad percent-encoding, bodies on operations that take none. */
function fromFramework(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return fail('payload_too_large', { cause: error });
  if (status === 414) return fail('uri_too_long', { cause: error });
  if (status >= 400 && status < 500) return fail('invalid_request', { cause: error });
  return error;
}
