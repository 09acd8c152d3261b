import type { z } from 'zod';
import type { ExchangeParts } from '../../exchange/parts.ts';
import type { ApiVersion } from '../../features/deprecations/index.ts';
import type { ClockCache } from '../../features/orders/index.ts';
import type { EventClocks } from '../../features/webhooks-out/index.ts';
import type { Database } from '../../platform/db/database.ts';
import type { FailureCode } from '../../platform/failures.ts';
import type { Described } from '../../platform/fields.ts';
import type { Given } from '../../platform/input-fields.ts';
import type { LinkParts } from '../cfdi-downloads.ts';
import type { RequestContext } from '../http.ts';
import { NO_QUERY, type QueryInput, type RawQuery, readQuery } from '../query.ts';
import { type BodyInput, type FileInput, readFields } from './body-input.ts';
import type { Admitted, Needs } from './guard.ts';

/** Operations of one subject, with what their answers are made of. */
interface OperationGroup {
  readonly operations: readonly Operation[];
  /** By the names of the document's schemas. */
  readonly shapes: Readonly<Record<string, Described>>;
}

/** Operations below one path, with the OpenAPI document of all of them. */
export interface Api extends OperationGroup {
  readonly path: '/v1' | '/manage/v1';
  readonly title: string;
  /** Its end, where one is announced; absent = this API has none. */
  readonly version?: ApiVersion;
  /** In Markdown. */
  readonly introduction: string;
}

export interface OperationParts extends LinkParts {
  readonly database: Database;
  readonly clocks: ClockCache;
  readonly eventClocks: EventClocks;
  readonly exchange: ExchangeParts;
  readonly publicUrl: () => string;
}

export interface OperationRequest {
  readonly access: Admitted;
  /** The path's `{id}`, decoded. */
  readonly id: string;
  /** The body's fields, as JSON gave them, or a file's bytes; `{}` where it takes none. */
  readonly body: unknown;
  /** The header `Idempotency-Key`; null where it was not sent or the operation ignores it. */
  readonly idempotencyKey: string | null;
  readonly requestId: string;
  /** The caller's. */
  readonly address: string;
  /** Its signal is made at its first use. */
  readonly context: Pick<RequestContext, 'signal'>;
}

/** One REST operation: where it is, what it needs, and its whole answer as JSON text. */
export interface Operation<Answer extends string = string> extends Needs {
  /** Absent = it reads, by GET and HEAD. */
  readonly write?: WriteTerms;
  readonly path: string;
  /** What the path's `{id}` is. */
  readonly idMeans?: { readonly description: string; readonly example: string };
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly query: QueryInput;
  /** Name of the schema of a success in the OpenAPI document. */
  readonly answer: Answer;
  /** A query that it refuses, for the example of `invalid_request`. */
  readonly refused: RawQuery;
  /** What it may answer instead. */
  readonly failures: readonly FailureCode[];
  run(
    parts: OperationParts,
    request: OperationRequest & { readonly query: RawQuery },
  ): Promise<string>;
}

/** The same with its inputs typed: `defineOperation` reads them. */
type Definition<Query extends z.ZodObject, Body extends z.ZodObject, Answer extends string> = Omit<
  Operation<Answer>,
  'query' | 'refused' | 'write' | 'run'
> & {
  /** Absent = it has no parameters. */
  readonly query?: QueryInput<Query>;
  readonly refused?: RawQuery;
  readonly write?: WriteTerms<Body>;
  run(
    parts: OperationParts,
    request: OperationRequest & { readonly query: Given<Query>; readonly fields: Given<Body> },
  ): Promise<string>;
};

export function defineOperation<
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  const Answer extends string,
>({
  query = NO_QUERY as unknown as QueryInput<Query>,
  refused = { fields: 'id' },
  run,
  ...described
}: Definition<Query, Body, Answer>): Operation<Answer> {
  const body = described.write?.body ?? null;
  return {
    ...described,
    query,
    refused,
    async run(parts, request) {
      const given = readQuery(query, request.query);
      const fields = (
        body !== null && 'input' in body ? readFields(body, request.body) : {}
      ) as Given<Body>;
      return run(parts, { ...request, query: given, fields });
    },
  };
}

/** Operations whose answers are among the shapes; another answer does not compile. */
export function answeringWith<Shapes extends Readonly<Record<string, Described>>>(
  shapes: Shapes,
  operations: readonly Operation<keyof Shapes & string>[],
): OperationGroup {
  return { operations, shapes };
}

/** @throws Error where two groups give one name to a shape */
export function joined(groups: readonly OperationGroup[]): OperationGroup {
  return {
    operations: groups.flatMap(({ operations }) => operations),
    shapes: byName(
      'shapes',
      groups.flatMap(({ shapes }) => Object.entries(shapes)),
    ),
  };
}

/** @throws Error where two of them have one name, which would replace each other */
export function byName<Thing>(
  what: string,
  entries: readonly (readonly [string, Thing])[],
): Record<string, Thing> {
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two ${what} are named ${twice}`);
  return Object.fromEntries(entries);
}

/** How an operation that changes something is asked. */
interface WriteTerms<Body extends z.ZodObject = z.ZodObject> {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly body: BodyInput<Body> | FileInput | null;
  /** Of a success. */
  readonly status: 200 | 201 | 202;
  /** Whether requests with the same `Idempotency-Key` are one request. */
  readonly isOnce?: true;
}

export function methodOf({ write }: Operation): 'GET' | WriteTerms['method'] {
  return write?.method ?? 'GET';
}

/** What any operation may answer instead; some of it comes from the server in front. */
export const EVERYWHERE: readonly FailureCode[] = [
  'invalid_request',
  'missing_api_key',
  'invalid_api_key',
  'api_key_revoked',
  'api_key_expired',
  'plan_does_not_include_api',
  'organization_suspended',
  'legacy_host_gone',
  'uri_too_long',
  'misdirected_request',
  'rate_limit_exceeded',
  'too_many_requests',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
  'request_timeout',
];
