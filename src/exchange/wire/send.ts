import type { CallRequest, WireAnswer, WireRequest } from '../../connectors/contract.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import type { Refusal } from '../../platform/breaker.ts';
import { NetworkError } from '../../platform/network-error.ts';
import { TooLongError } from '../../platform/throttle.ts';
import type { Instant } from '../../platform/time.ts';
import { traced } from '../../platform/traces.ts';
import { laneOf, rateOf, routeOf, urlOf } from './address.ts';
import type { CallState } from './call-state.ts';
import { isUnable } from './verdict.ts';

/** The timeout of a request that may be sent only once. */
const ONLY_TIMEOUT_MS = 20_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** What a failed transfer means; an answer that was too large would be too large again. */
const LOST: Readonly<Record<NetworkError['kind'], UpstreamKind>> = {
  refused_address: 'inward',
  too_large: 'too_large',
  timeout: 'unreachable',
  broken: 'unreachable',
  crowded: 'unreachable',
};

/**
 * Signs a request, waits for its turn under the service's limit, and sends it.
 * @returns NetworkError where no answer came in time
 * @throws UpstreamError where it was not sent, or another attempt cannot help
 */
export async function send<Credentials>(
  state: CallState<Credentials>,
  request: CallRequest,
  used: Credentials,
  isRetry: boolean,
): Promise<WireAnswer | NetworkError> {
  const { wire, caller, patience } = state;
  const { slug } = caller.connector;
  const signed = sign(state, request, used);
  const refusal = await wire.breakers.refusal(routeOf(caller, signed.url));
  if (refusal) throw silent(slug, refusal);
  try {
    const rate = rateOf(caller, request);
    return await wire.throttle.run(laneOf(caller, request), rate, patience.turnWait, () =>
      traced(`call ${slug}`, { 'http.request.method': request.method }, () =>
        transfer(state, request, signed, isRetry),
      ),
    );
  } catch (error) {
    if (error instanceof TooLongError) throw paced(slug, error);
    if (error instanceof NetworkError && (isSilence(error) || error.kind === 'crowded'))
      return error;
    throw error instanceof NetworkError ? lost(slug, error, null) : error;
  }
}

/** Since when the host has not answered; null = its circuit breaker is closed. */
export async function silentSince<Credentials>(
  { wire, caller }: CallState<Credentials>,
  request: CallRequest,
  used: Credentials,
): Promise<Instant | null> {
  const refusal = await wire.breakers.refusal(routeOf(caller, urlOf(caller, request, used)));
  return refusal?.since ?? null;
}

export function lost(slug: string, error: NetworkError, since: Instant | null): UpstreamError {
  return new UpstreamError(LOST[error.kind], slug, error.message, {
    isUnsent: error.isUnsent,
    since,
    cause: error,
  });
}

function sign<Credentials>(
  { wire, caller }: CallState<Credentials>,
  request: CallRequest,
  used: Credentials,
): WireRequest {
  const { connector, application } = caller;
  const url = urlOf(caller, request, used);
  const unsigned: WireRequest = { method: request.method, url, ...bodyOf(request) };
  if (request.anonymous) return unsigned;
  return connector.auth.sign(unsigned, used, { application, now: wire.clock.now() });
}

/** Sends a request now, and reports the result to the circuit breakers. */
async function transfer<Credentials>(
  state: CallState<Credentials>,
  request: CallRequest,
  signed: WireRequest,
  isRetry: boolean,
): Promise<WireAnswer> {
  const { wire, caller } = state;
  const route = routeOf(caller, signed.url);
  const admission = await wire.breakers.admit(route, isRetry);
  if ('since' in admission) throw silent(caller.connector.slug, admission);
  const timeout = request.once ? ONLY_TIMEOUT_MS : admission.timeoutMilliseconds;
  const fetchedAt = wire.clock.now();
  const sentAt = wire.clock.monotonic();
  const { slug: service } = caller.connector;
  const note = (outcome: string, milliseconds: number) =>
    wire.metrics.calls.observe({ service, outcome }, milliseconds / 1000);
  try {
    const answer = await exchange(state, request, signed, timeout);
    const took = wire.clock.monotonic() - sentAt;
    note(String(answer.status), took);
    if (isUnable(answer.status)) await wire.breakers.unable(route, took);
    else await wire.breakers.answered(route, took);
    return { ...answer, fetchedAt };
  } catch (error) {
    if (error instanceof NetworkError) note(error.kind, wire.clock.monotonic() - sentAt);
    if (isSilence(error) && !caller.signal?.aborted) await wire.breakers.silent(route);
    if (hasAnswered(error)) await wire.breakers.answered(route, wire.clock.monotonic() - sentAt);
    throw error;
  }
}

function exchange<Credentials>(
  { wire, caller, patience }: CallState<Credentials>,
  { isBinary }: CallRequest,
  { method, url, headers, body }: WireRequest,
  timeout: number,
) {
  return wire.network.send(
    { method, url: url.href, headers, ...(body !== undefined && { body }) },
    {
      addresses: caller.addresses,
      timeoutMilliseconds: Math.min(timeout, patience.answerWait()),
      maximumBytes: MOST_BYTES,
      ...(isBinary && { encoding: 'latin1' }),
      ...(caller.signal && { signal: caller.signal }),
    },
  );
}

function bodyOf({ headers: own, body }: CallRequest): Pick<WireRequest, 'headers' | 'body'> {
  const headers = { accept: 'application/json', 'user-agent': 'Tianguis/1', ...own };
  if (!body) return { headers, body: undefined };
  if ('json' in body)
    return {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body.json),
    };
  return {
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body.form).toString(),
  };
}

/** No answer came in time: what the host is to blame for. */
function isSilence(error: unknown): boolean {
  return error instanceof NetworkError && (error.kind === 'timeout' || error.kind === 'broken');
}

/** The host did; its answer was too large, or there was no room for it. */
function hasAnswered(error: unknown): boolean {
  return error instanceof NetworkError && (error.kind === 'too_large' || error.kind === 'crowded');
}

function silent(slug: string, { since, retryMilliseconds }: Refusal): UpstreamError {
  return new UpstreamError('unreachable', slug, `no answer since ${since}`, {
    since,
    retryAfter: Math.ceil(retryMilliseconds / 1000),
    isUnsent: true,
  });
}

function paced(slug: string, { message, milliseconds }: TooLongError): UpstreamError {
  return new UpstreamError('paced', slug, message, {
    retryAfter: Math.ceil(milliseconds / 1000),
  });
}
