import type { ZodType } from 'zod';
import type { Instant } from '../../platform/time.ts';

/** A connector's only network access. The engine signs, throttles, sends, retries and parses. */
export interface Call<Credentials> {
  /** The slug of the service. */
  readonly service: string;
  readonly credentials: Credentials;
  /** The engine's clock, for signatures and versions. */
  now(): Instant;
  get<T>(path: string, schema: ZodType<T>, options?: CallOptions): Promise<T>;
  /** For callers that need the status or the headers, and for bodies that are not JSON. */
  request(request: CallRequest): Promise<WireAnswer>;
}

export interface CallOptions {
  /** A name of `auth.hosts`, or an origin that the connector has validated. */
  readonly host?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate?: string;
  /** For binary documents: the body of the answer has one character per byte (latin1). */
  readonly isBinary?: boolean;
}

export interface CallRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };
  /** Statuses that are returned to the connector; any other non-2xx status throws. */
  readonly expect?: readonly number[];
  /** Without credentials, as for a token request. */
  readonly anonymous?: boolean;
  /** A POST that changes nothing, as in GraphQL queries and searches. */
  readonly reads?: true;
  /** Answers that `verdict` calls refusals are returned to the connector. */
  readonly mayBeRefused?: boolean;
  /** Not idempotent: never sent again once it may have arrived, since the result costs money. */
  readonly once?: boolean;
}

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When the engine began the request. */
  readonly fetchedAt: Instant;
}

/** `forbid`: the seller's permission does not cover the call. */
export type Verdict = 'ok' | 'retry' | 'renew' | 'refuse' | 'forbid';

/** `bucket`: refills evenly, bursts allowed. `sliding`: never more than so many in any minute. */
export interface Rate {
  readonly perMinute: number;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly window: 'bucket' | 'sliding';
  readonly shared: 'connection' | 'server';
}

/** Our application, as registered at a marketplace. */
export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Its id on the consent page, where the marketplace uses another one there. */
  readonly appId?: string;
}
