import type { CallRequest, WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { NetworkError } from '../../platform/network-error.ts';
import { parseHttpDate } from '../../platform/time.ts';
import { laneOf } from './address.ts';
import { assertFewValues } from './budget.ts';
import type { CallState, Outcome } from './call-state.ts';
import { readAnswer } from './read-answer.ts';
import { lost, send, silentSince } from './send.ts';
import { isForConnector, isUnable, verdictOf } from './verdict.ts';

/** What some statuses of a refusal mean; any other status is `refused`. */
const REFUSALS: Readonly<Record<number, UpstreamKind>> = { 402: 'unpaid', 403: 'forbidden' };
/** A service that asks for more is asked again after this; some ask for the year 9999. */
const LONGEST_PAUSE_SECONDS = 86_400;

interface AttemptOptions {
  readonly isRetry: boolean;
  /** Absent = yes. */
  readonly mayRenew?: boolean;
}

/**
 * Sends a request once, and once more after a renewal of the credentials.
 * @throws UpstreamError where another attempt cannot help
 */
export async function tryOnce<Credentials, T>(
  state: CallState<Credentials>,
  request: CallRequest,
  read: (answer: WireAnswer) => T,
  options: AttemptOptions,
): Promise<Outcome<T>> {
  const { wire, caller, credentials: used } = state;
  const { connector, observer } = caller;
  const { slug } = connector;
  const instead = observer?.instead(request);
  if (instead) return readAnswer(slug, { ...instead, fetchedAt: wire.clock.now() }, read);
  const sent = await send(state, request, used, options.isRetry);
  if (sent instanceof NetworkError)
    return { error: lost(slug, sent, await silentSince(state, request, used)), wait: null };
  assertFewValues(sent, slug);
  observer?.answered(request, sent);
  const pace = Math.min(connector.pace?.(sent) ?? 0, LONGEST_PAUSE_SECONDS * 1000);
  if (pace > 0) wire.throttle.pause(laneOf(caller, request), pace);
  const verdict = verdictOf(connector, sent, request);
  if (verdict === 'ok' || (request.mayBeRefused && isForConnector(verdict, request)))
    return readAnswer(slug, sent, read);
  if (verdict === 'retry') return retryLater(state, request, used, sent, pace);
  if (verdict !== 'renew') throw refusal(slug, request, sent, verdict);
  if (!caller.renew || options.mayRenew === false || request.anonymous)
    throw new UpstreamError('unauthorized', slug, `answered ${sent.status}`, {
      status: sent.status,
    });
  // Other requests of the same call may have renewed while this one was under way.
  if (used === state.credentials) await renewOnce(state, caller.renew, used);
  return tryOnce(state, request, read, { ...options, mayRenew: false });
}

/** The service cannot answer now, or limits us: its lane pauses for as long as it says. */
async function retryLater<Credentials>(
  state: CallState<Credentials>,
  request: CallRequest,
  used: Credentials,
  { status, headers }: WireAnswer,
  pace: number,
): Promise<Outcome<never>> {
  const { wire, caller } = state;
  const reported = secondsOf(headers['retry-after'], wire.clock);
  const retryAfter = reported ?? (pace > 0 ? Math.ceil(pace / 1000) : null);
  if (retryAfter !== null) wire.throttle.pause(laneOf(caller, request), retryAfter * 1000);
  const kind = isUnable(status) ? 'unreachable' : 'throttled';
  const since = isUnable(status) ? await silentSince(state, request, used) : null;
  const details = { status, retryAfter, since };
  return {
    error: new UpstreamError(kind, caller.connector.slug, `answered ${status}`, details),
    wait: retryAfter === null ? null : retryAfter * 1000,
  };
}

function refusal(
  slug: string,
  { method, path }: CallRequest,
  { status }: WireAnswer,
  verdict: 'refuse' | 'forbid',
): UpstreamError {
  const kind = verdict === 'forbid' ? 'forbidden' : (REFUSALS[status] ?? 'refused');
  return new UpstreamError(kind, slug, `answered ${status} to ${method} ${path}`, { status });
}

/** Requests that met a 401 at the same time share one renewal. */
function renewOnce<Credentials>(
  state: CallState<Credentials>,
  renew: (stale: Credentials) => Promise<Credentials>,
  stale: Credentials,
): Promise<void> {
  state.renewing ??= (async () => {
    state.credentials = await renew(stale);
  })().finally(() => {
    state.renewing = null;
  });
  return state.renewing;
}

/** Retry-After, as a date or in seconds, which Shopify gives as `2.0`. */
function secondsOf(header: string | undefined, clock: Clock): number | null {
  if (header === undefined) return null;
  const isNumber = /^\d+(\.\d+)?$/.test(header.trim());
  const seconds = isNumber ? Math.ceil(Number(header)) : secondsUntil(header, clock);
  return seconds && Math.min(Math.max(0, seconds), LONGEST_PAUSE_SECONDS);
}

function secondsUntil(header: string, clock: Clock): number | null {
  const date = parseHttpDate(header);
  return date && Math.ceil(clock.now().until(date).total('seconds'));
}
