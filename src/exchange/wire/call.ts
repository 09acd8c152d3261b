import type { Call, CallOptions, CallRequest, WireAnswer } from '../../connectors/contract.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import { NetworkError } from '../../platform/network-error.ts';
import { laneOf } from './address.ts';
import { assertFewValues, type Budget, openBudget } from './budget.ts';
import type { Caller, CallState, Wire } from './call-state.ts';
import { PATIENT } from './patience.ts';
import { assertWhole, parse } from './read-answer.ts';
import { LONGEST_PAUSE_SECONDS, retryAfterOf } from './retry-after.ts';
import { lost, send, silentSince } from './send.ts';
import { isForConnector, isUnable, verdictOf } from './verdict.ts';

/** Calls of work with many steps. Each step has a budget; calls outside of any step share one. */
export interface StepCall<Credentials> extends Call<Credentials> {
  /** For one step: a page of a stream, or one thing. */
  step(): Call<Credentials>;
}

/** A request of a step. */
interface Asked {
  readonly request: CallRequest;
  readonly budget: Budget;
  /** The answer must be JSON, whatever its headers say. */
  readonly isDocument: boolean;
}

type Outcome = { readonly answer: WireAnswer } | Failed;

/** Another attempt may help. */
interface Failed {
  readonly error: UpstreamError;
  /** Milliseconds that the service requires; null = ours to choose. */
  readonly wait: number | null;
}

interface AttemptOptions {
  readonly isRetry: boolean;
  /** Absent = yes. */
  readonly mayRenew?: boolean;
}

const FIRST_WAIT_MS = 500;
/** A pause up to this long is no failure, whether it is waited for or not. */
const SHORT_PAUSE_MS = 60_000;
/** What some statuses of a refusal mean; any other status is `refused`. */
const REFUSALS: Readonly<Record<number, UpstreamKind>> = { 402: 'unpaid', 403: 'forbidden' };

/**
 * Opens calls to a service. A request is signed, throttled, sent, judged, retried with growing
 * waits, and its answer parsed; credentials are renewed once. A host that does not answer is called
 * as the circuit breakers allow.
 */
export function openCall<Credentials>(
  wire: Wire,
  caller: Caller<Credentials>,
): StepCall<Credentials> {
  const state: CallState<Credentials> = {
    wire,
    caller,
    patience: caller.patience ?? PATIENT,
    credentials: caller.credentials,
    renewing: null,
  };
  const step = () => openStep(state);
  // Assigned to, since a spread would copy the credentials of now.
  return Object.assign(step(), { step });
}

function openStep<Credentials>(state: CallState<Credentials>): Call<Credentials> {
  const { slug } = state.caller.connector;
  const budget = openBudget(slug);
  return {
    service: slug,
    get credentials() {
      return state.credentials;
    },
    now: () => state.wire.clock.now(),
    request: (request) => ask(state, { request, budget, isDocument: false }),
    async get(path, schema, options: CallOptions = {}) {
      const request: CallRequest = { ...options, method: 'GET', path };
      const answer = await ask(state, { request, budget, isDocument: true });
      return parse(slug, answer, schema, path);
    },
  };
}

/**
 * Sends a request until there is an answer, or the attempts or the patience are used up. Not
 * `platform/retry.ts`: an attempt that may be repeated returns its error and the wait that the
 * service asked for; what it throws is final.
 */
async function ask<Credentials>(state: CallState<Credentials>, asked: Asked): Promise<WireAnswer> {
  const { wire, caller, patience } = state;
  const { slug } = caller.connector;
  asked.budget.ask();
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(state, asked, { isRetry: attempt > 1 });
    if ('answer' in outcome) return outcome.answer;
    const { error } = outcome;
    if (attempt === patience.tries || asked.request.once || error.since) throw error;
    const wait = outcome.wait ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + wire.random());
    // A long pause is not waited for here: the stream is put off instead.
    if (wait > patience.retryWait()) throw putOff(state, error, wait);
    wire.log
      .of('wire')
      .debug({ marketplace: slug, attempt, wait, status: error.status }, 'retrying');
    await wire.clock.sleep(wait, caller.signal);
  }
}

/**
 * Sends a request once, and once more after a renewal of the credentials.
 * @throws UpstreamError where another attempt cannot help
 */
async function tryOnce<Credentials>(
  state: CallState<Credentials>,
  asked: Asked,
  options: AttemptOptions,
): Promise<Outcome> {
  const { wire, caller, credentials: used } = state;
  const { connector, observer } = caller;
  const { slug } = connector;
  const { request } = asked;
  const instead = observer?.instead(request);
  if (instead) return take(slug, asked, { ...instead, fetchedAt: wire.clock.now() });
  const sent = await send(state, request, used, options.isRetry);
  if (sent instanceof NetworkError)
    return { error: lost(slug, sent, await silentSince(state, request, used)), wait: null };
  assertFewValues(sent, slug);
  observer?.answered(request, sent);
  const pace = Math.min(connector.pace?.(sent) ?? 0, LONGEST_PAUSE_SECONDS * 1000);
  if (pace > 0) wire.throttle.pause(laneOf(caller, request), pace);
  const verdict = verdictOf(connector, sent, request);
  if (verdict === 'ok' || (request.mayBeRefused && isForConnector(verdict, request)))
    return take(slug, asked, sent);
  if (verdict === 'retry') return retryLater(state, request, used, sent, pace);
  if (verdict !== 'renew') throw refusal(slug, request, sent, verdict);
  if (!caller.renew || options.mayRenew === false || request.anonymous)
    throw new UpstreamError('unauthorized', slug, `answered ${sent.status}`, {
      status: sent.status,
    });
  // Other requests of the same call may have renewed while this one was under way.
  if (used === state.credentials) await renewOnce(state, caller.renew, used);
  return tryOnce(state, asked, { ...options, mayRenew: false });
}

/**
 * Takes an answer. A body that is cut short or not JSON is a failed transfer, and the request is
 * sent again; well-formed JSON of another shape is not.
 */
function take(slug: string, { budget, isDocument }: Asked, answer: WireAnswer): Outcome {
  budget.take(answer);
  try {
    assertWhole(answer, isDocument);
    return { answer };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const { status } = answer;
    const error = new UpstreamError('unreadable', slug, 'the body is not JSON', { status, cause });
    return { error, wait: null };
  }
}

/** The service cannot answer now, or limits us: its lane pauses for as long as it says. */
async function retryLater<Credentials>(
  state: CallState<Credentials>,
  request: CallRequest,
  used: Credentials,
  { status, headers }: WireAnswer,
  pace: number,
): Promise<Failed> {
  const { wire, caller } = state;
  const reported = retryAfterOf(headers['retry-after'], wire.clock);
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

/** A short pause that this step does not wait for is no failure. */
function putOff<Credentials>(
  { caller, patience }: CallState<Credentials>,
  error: UpstreamError,
  wait: number,
): UpstreamError {
  if (error.kind !== 'throttled' || wait > SHORT_PAUSE_MS || patience === PATIENT) return error;
  const retryAfter = Math.ceil(wait / 1000);
  const { slug } = caller.connector;
  return new UpstreamError('paced', slug, error.message, { retryAfter, cause: error });
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
