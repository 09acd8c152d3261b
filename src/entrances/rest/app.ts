import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Failure, fail, invalid } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { withoutEnd } from '../../platform/text.ts';
import { contextOf, failureBody, noteFailure } from '../http.ts';
import { NO_QUERY, type RawQuery, readQuery } from '../query.ts';
import type { Surface } from '../surface.ts';
import { readGiven } from './body.ts';
import { compressAnswers } from './compress.ts';
import { endOfVersion } from './deprecation.ts';
import { admit, admitStill, type GuardParts } from './guard.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { openApiDocument } from './openapi.ts';
import { type Api, methodOf, type Operation, type OperationParts } from './operation.ts';

interface RestParts extends GuardParts, OperationParts {
  readonly log: Log;
}

const JSON_TYPE = 'application/json; charset=utf-8';
// The front bounds the whole address; an id within it is looked for.
const LONGEST_ID = 8_192;

/** The operations of an API: key → plan → scope → quota → validation → the operation. */
export async function openRest(parts: RestParts, api: Api): Promise<Surface> {
  const app = fastify({
    routerOptions: { maxParamLength: LONGEST_ID },
    genReqId: (raw) => contextOf(raw as IncomingMessage).id,
    // An address that cannot be decoded needs a key like any other.
    frameworkErrors: (error, request, reply) =>
      void admit(parts, request.raw, null)
        .then(() => malformedPath(api, request.url) ?? error)
        .catch((failure) => failure)
        .then((failure) => answerError(parts.log, failure, request, reply)),
  });
  // An operation reads its body itself, after the key; any other body is left unread.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => answerError(parts.log, error, request, reply));
  compressAnswers(app);

  // Before Fastify looks at the body, which would come ahead of the key.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    refuseUnrouted(parts, api, request).catch(done);
  });

  for (const operation of api.operations) serve(app, parts, api, operation);
  let document = '';
  app.get(documentPath(api), async (request, reply) => {
    refuseMalformedQuery(request.url);
    readQuery(NO_QUERY, request.query as RawQuery);
    document ||= JSON.stringify(
      openApiDocument(api, parts.publicUrl(), contextOf(request.raw).operator),
    );
    reply.header('content-type', JSON_TYPE);
    return document;
  });
  await app.ready();
  // The front owns the socket; Fastify routes and answers.
  return {
    prefix: api.path,
    publicUrl: parts.publicUrl,
    handle: (request, response) => app.routing(request, response),
    ...(api.version && (await endOfVersion(parts, api.version))),
  };
}

function serve(app: FastifyInstance, parts: RestParts, api: Api, operation: Operation): void {
  app.route({
    method: methodOf(operation),
    url: operation.path.replace('{id}', ':id'),
    ...(operation.write && { onRequest: hideType }),
    handler: async (request, reply) => {
      const { id } = request.params as { id?: string };
      // The router takes a path that ends where the id would begin.
      if (id === '') return refuseUnrouted(parts, api, request);
      const admitted = await admit(parts, request.raw, operation);
      refuseMalformedQuery(request.url);
      const context = contextOf(request.raw);
      const input = operation.write?.body ?? null;
      const given = await readGiven(request.raw, input);
      const body = await operation.run(parts, {
        access: input ? await admitStill(parts, request.raw, operation, admitted) : admitted,
        query: request.query as RawQuery,
        id: id ?? '',
        body: given,
        idempotencyKey: operation.write?.isOnce ? idempotencyKeyOf(request.raw) : null,
        requestId: context.id,
        address: context.address,
        context,
      });
      reply.code(operation.write?.status ?? 200).header('content-type', JSON_TYPE);
      return body;
    },
  });
}

/** The operation reads the type after the key; Fastify would refuse an odd one before it. */
function hideType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.headers = { 'content-type': undefined };
  done();
}

async function refuseUnrouted(
  parts: GuardParts,
  api: Api,
  request: FastifyRequest,
): Promise<never> {
  if (pathOf(request.url) !== documentPath(api)) await admit(parts, request.raw, null);
  throw unrouted(api, request);
}

function documentPath({ path }: Api): string {
  return `${path}/openapi.json`;
}

function unrouted(api: Api, { url, method }: FastifyRequest): Failure {
  const path = pathOf(url);
  const methods = methodsAt(api, path);
  if (methods.length > 0)
    return methods.includes(method)
      ? fail('not_found')
      : fail('method_not_allowed', { headers: { allow: methods.join(', ') } });
  const shorter = withoutEnd(path, '/');
  return methodsAt(api, shorter).length > 0
    ? fail('not_found', { message: `No existe esa dirección. ¿Quisiste decir ${shorter}?` })
    : fail('not_found');
}

/** Empty where the API has no such path. */
function methodsAt(api: Api, path: string): string[] {
  if (path === documentPath(api)) return READ;
  return api.operations
    .filter((operation) => isAt(operation.path, path))
    .flatMap((operation) => (operation.write ? [operation.write.method] : READ));
}

const READ = ['GET', 'HEAD'];

function isAt(route: string, path: string): boolean {
  const parts = path.split('/');
  const own = route.split('/');
  return (
    parts.length === own.length &&
    own.every((part, at) => (part === '{id}' ? parts[at] !== '' : part === parts[at]))
  );
}

const ENCODING_RULE = 'mal codificados: cada % va seguido de dos dígitos hexadecimales en UTF-8.';

/** Half an escape in the path, such as `%zz`; null where the path is well encoded. */
function malformedPath(api: Api, url: string): Failure | null {
  const path = pathOf(url);
  if (isDecodable(path)) return null;
  const message = `La dirección tiene caracteres ${ENCODING_RULE}`;
  return api.operations.some((one) => one.path.includes('{id}') && isAt(one.path, path))
    ? invalid('id', message)
    : fail('invalid_request', { message });
}

/** The same in the query, whose parser would take it as it stands. */
function refuseMalformedQuery(url: string): void {
  if (!url.includes('%')) return;
  const bad = url
    .slice(pathOf(url).length + 1)
    .split('&')
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
