import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Failure, fail, invalid } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { withoutEnd } from '../../platform/text.ts';
import type { Surface } from '../front.ts';
import { contextOf, failureBody, noteFailure } from '../http.ts';
import { compressAnswers } from './compress.ts';
import { admit, type GuardParts } from './guard.ts';
import { openApiDocument } from './openapi.ts';
import { NO_QUERY, OPERATIONS, type OperationParts } from './operations.ts';
import { type RawQuery, readQuery } from './query.ts';

interface RestParts extends GuardParts, OperationParts {
  /** Called at the first request for the document. */
  readonly publicUrl: () => string;
  readonly log: Log;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const ALLOWED = { headers: { allow: 'GET, HEAD' } };
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
        .then(() => malformedPath(request.url) ?? error)
        .catch((failure) => failure)
        .then((failure) => answerError(parts.log, failure, request, reply)),
  });
  // No operation takes a body; whatever comes along is left unread.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => answerError(parts.log, error, request, reply));
  compressAnswers(app);

  // Before Fastify looks at the body, which would come ahead of the key.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    refuseUnrouted(parts, request).catch(done);
  });

  for (const operation of OPERATIONS) {
    app.get(operation.path.replace('{id}', ':id'), async (request, reply) => {
      const { id } = request.params as { id?: string };
      // The router takes a path that ends where the id would begin.
      if (id === '') return refuseUnrouted(parts, request);
      const access = await admit(parts, request.raw, operation.scope);
      refuseMalformedQuery(request.url);
      const { id: requestId, signal } = contextOf(request.raw);
      const body = await operation.run(parts, {
        access,
        query: request.query as RawQuery,
        id: id ?? '',
        requestId,
        signal,
      });
      reply.header('content-type', JSON_TYPE);
      return body;
    });
  }
  let document = '';
  app.get(DOCUMENT_PATH, async (request, reply) => {
    refuseMalformedQuery(request.url);
    readQuery(NO_QUERY, request.query as RawQuery);
    document ||= JSON.stringify(
      openApiDocument(parts.publicUrl(), contextOf(request.raw).operator),
    );
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

const DOCUMENT_PATH = '/v1/openapi.json';
const READ = ['GET', 'HEAD'];

function unrouted({ url, method }: FastifyRequest): Failure {
  const path = pathOf(url);
  if (isRoute(path))
    return READ.includes(method) ? fail('not_found') : fail('method_not_allowed', ALLOWED);
  const shorter = withoutEnd(path, '/');
  return isRoute(shorter)
    ? fail('not_found', { message: `No existe esa dirección. ¿Quisiste decir ${shorter}?` })
    : fail('not_found');
}

function isRoute(path: string): boolean {
  return (
    path === DOCUMENT_PATH || OPERATIONS.some((operation) => patternOf(operation.path).test(path))
  );
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replace('{id}', '[^/]+')}$`);
}

const ENCODING_RULE = 'mal codificados: cada % va seguido de dos dígitos hexadecimales en UTF-8.';

/** Half an escape in the path, such as `%zz`; null where the path is well encoded. */
function malformedPath(url: string): Failure | null {
  const path = pathOf(url);
  if (isDecodable(path)) return null;
  const message = `La dirección tiene caracteres ${ENCODING_RULE}`;
  return patternOf('/v1/orders/{id}').test(path)
    ? invalid('id', message)
    : fail('invalid_request', { message });
}

/** The same in the query, whose parser would take it as it stands. */
function refuseMalformedQuery(url: string): void {
  if (!url.includes('%')) return;
  const bad = url
    .split('?')[1]
    ?.split('&')
    .find((part) => !isDecodable(part));
  if (bad !== undefined)
    throw invalid(bad.split('=', 1)[0] ?? '', `La consulta tiene caracteres ${ENCODING_RULE}`);
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
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
  return pathOf(request.url) === DOCUMENT_PATH;
}

function answerError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const thrown = error instanceof Failure ? error : fromFramework(error);
  const failure = noteFailure(log, request.raw, thrown, 'request failed');
  reply
    .code(failure.status)
    .headers(failure.headers)
    .header('content-type', JSON_TYPE)
    .send(failureBody(failure, contextOf(request.raw)));
}

/** What Fastify refuses by itself: bad percent-encoding, bodies on operations that take none. */
function fromFramework(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return fail('payload_too_large', { cause: error });
  if (status === 414) return fail('uri_too_long', { cause: error });
  if (status >= 400 && status < 500) return fail('invalid_request', { cause: error });
  return error;
}
