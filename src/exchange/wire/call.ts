import type { ZodError, ZodType } from 'zod';
import type {
  Application,
  Call,
  CallOptions,
  CallRequest,
  Rate,
  Service,
  Verdict,
  WireAnswer,
  WireRequest,
} from '../../connectors/contract.ts';
import { documentOf } from '../../connectors/kit.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import type { Breakers, Refusal, Route } from '../../platform/breaker.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type Network, NetworkError } from '../../platform/network.ts';
import { type Throttle, TooLongError } from '../../platform/throttle.ts';
import { type Instant, parseHttpDate } from '../../platform/time.ts';
import { assertFewValues, openBudget } from './budget.ts';
import { PATIENT, type Patience } from './patience.ts';

/** What the wire needs, whoever calls. */
export interface Wire {
  readonly network: Network;
  readonly throttle: Throttle;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly log: Log;
  /** Between 0 and 1; spreads retries. */
  readonly random: () => number;
}

/** Who calls whom, and with what. */
interface Caller<Credentials> {
  readonly connector: Service<Credentials>;
  readonly credentials: Credentials;
  readonly application: Application | null;
  /** Names the throttle's lane; the connection's id. */
  readonly lane: string;
  /** A test stand that stands for every host of the marketplace; null = its own hosts. */
  readonly baseUrl: string | null;
  /** Another address for single hosts, by the name of `auth.hosts`; they go before `baseUrl`. */
  readonly hostUrls?: Readonly<Record<string, string>>;
  /** Where a customer typed the address, it must be public. */
  readonly addresses: 'public' | 'any';
  /** Gets fresh credentials after a 401; null = there is no way. */
  readonly renew: ((stale: Credentials) => Promise<Credentials>) | null;
  readonly signal?: AbortSignal;
  /** Absent: four tries, and waits of up to half a minute. */
  readonly patience?: Patience;
  readonly observer?: CallObserver;
}

/** Sees what a connection asks and is answered. */
export interface CallObserver {
  /** What is answered instead of sending it; null = it is sent. */
  instead(request: CallRequest): Pick<WireAnswer, 'status' | 'headers' | 'body'> | null;
  /** Before anybody reads the answer. */
  answered(request: CallRequest, answer: WireAnswer): void;
}

const FIRST_WAIT_MS = 500;
/** Pauses up to this long are nobody's failure, whether they are waited for or not. */
const SHORT_PAUSE_MS = 60_000;
/** For what may not be sent again. */
const ONLY_TIMEOUT_MS = 20_000;
/** What a failed transfer is; one that was too large would be so again. */
const LOST: Readonly<Record<NetworkError['kind'], UpstreamKind>> = {
  refused_address: 'inward',
  too_large: 'too_large',
  timeout: 'unreachable',
  broken: 'unreachable',
};
const MOST_BYTES = 8 * 1024 * 1024;
/** What some refusals say by their status; any other is just one. */
const REFUSALS: Readonly<Record<number, UpstreamKind>> = { 402: 'unpaid', 403: 'forbidden' };

/**
 * Calls for work of many steps; each has a budget of its own, and so have the calls that are made
 * outside of any.
 */
export interface StepCall<Credentials> extends Call<Credentials> {
  /** For one step: a page of a stream, or one thing. */
  step(): Call<Credentials>;
}

interface Failed {
  readonly error: UpstreamError;
  /** Milliseconds that the other side asked for; null = ours to choose. */
  readonly wait: number | null;
}

/**
 * The engine's door: sign, throttle, send, judge, renew once, retry with growing waits, parse.
 * Where there is no answer it asks as the circuit breakers allow.
 */
export function openCall<Credentials>(
  wire: Wire,
  caller: Caller<Credentials>,
): StepCall<Credentials> {
  const { connector, patience = PATIENT } = caller;
  let credentials = caller.credentials;
  let renewing: Promise<void> | null = null;

  async function ask<T>(request: CallRequest, read: (answer: WireAnswer) => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const failed = await tryOnce(request, read, attempt);
      if ('value' in failed) return failed.value;
      if (attempt === patience.tries || request.once || failed.error.since) throw failed.error;
      const wait = failed.wait ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + wire.random());
      // A long pause is not waited for here: the stream is put off instead.
      if (wait > patience.retryWait()) throw putOff(failed.error, wait);
      wire.log.debug(
        { marketplace: connector.slug, attempt, wait, status: failed.error.status },
        'retrying',
      );
      await wire.clock.sleep(wait, caller.signal);
    }
  }

  async function tryOnce<T>(
    request: CallRequest,
    read: (answer: WireAnswer) => T,
    attempt: number,
    mayRenew = true,
  ): Promise<{ value: T } | Failed> {
    const used = credentials;
    const instead = caller.observer?.instead(request);
    if (instead) return readAnswer({ ...instead, fetchedAt: wire.clock.now() }, read);
    const sent = await send(request, used, attempt > 1);
    if (sent instanceof NetworkError)
      return { error: lost(sent, sinceOf(request, used)), wait: null };
    const { slug } = connector;
    assertFewValues(sent, slug);
    caller.observer?.answered(request, sent);
    const { status } = sent;
    const pace = connector.pace?.(sent) ?? 0;
    if (pace > 0) wire.throttle.pause(laneOf(request), pace);
    const verdict = verdictOf(sent, request);
    if (request.mayBeRefused && isForConnector(verdict, request)) return readAnswer(sent, read);
    switch (verdict) {
      case 'ok':
        return readAnswer(sent, read);
      case 'retry': {
        const told = secondsOf(sent.headers['retry-after'], wire.clock);
        const retryAfter = told ?? (pace > 0 ? Math.ceil(pace / 1000) : null);
        if (retryAfter !== null) wire.throttle.pause(laneOf(request), retryAfter * 1000);
        const kind = isUnable(status) ? 'unreachable' : 'throttled';
        return {
          error: new UpstreamError(kind, slug, `answered ${status}`, {
            status,
            retryAfter,
            since: isUnable(status) ? sinceOf(request, used) : null,
          }),
          wait: retryAfter === null ? null : retryAfter * 1000,
        };
      }
      case 'renew':
        if (!caller.renew || !mayRenew || request.anonymous)
          throw new UpstreamError('unauthorized', slug, `answered ${status}`, { status });
        // Other calls of the same page may have renewed while this one was on its way.
        if (used === credentials) await renewOnce(used);
        return tryOnce(request, read, attempt, false);
      case 'refuse':
      case 'forbid':
        throw new UpstreamError(
          verdict === 'forbid' ? 'forbidden' : (REFUSALS[status] ?? 'refused'),
          slug,
          `answered ${status} to ${request.method} ${request.path}`,
          { status },
        );
    }
  }

  function renewOnce(stale: Credentials): Promise<void> {
    renewing ??= (async () => {
      credentials = await (caller.renew as (stale: Credentials) => Promise<Credentials>)(stale);
    })().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  async function send(
    request: CallRequest,
    used: Credentials,
    isRetry: boolean,
  ): Promise<WireAnswer | NetworkError> {
    const url = addressOf(request, used);
    const unsigned: WireRequest = { method: request.method, url, ...bodyOf(request) };
    const moment = { application: caller.application, now: wire.clock.now() };
    const signed = request.anonymous ? unsigned : connector.auth.sign(unsigned, used, moment);
    const rate: Rate = connector.rates[request.rate ?? 'default'] ?? connector.rates.default;
    const refusal = wire.breakers.refusal(routeTo(signed.url));
    if (refusal) throw silent(refusal);
    try {
      return await wire.throttle.run(laneOf(request), rate, patience.turnWait, () =>
        sendNow(request, signed, isRetry),
      );
    } catch (error) {
      if (error instanceof TooLongError) throw paced(error);
      if (error instanceof NetworkError && isSilence(error)) return error;
      throw error instanceof NetworkError ? lost(error, null) : error;
    }
  }

  /** Since when nobody has answered; null = the circuit breaker is closed. */
  function sinceOf(request: CallRequest, used: Credentials): Instant | null {
    return wire.breakers.refusal(routeTo(addressOf(request, used)))?.since ?? null;
  }

  async function sendNow(
    request: CallRequest,
    signed: WireRequest,
    isRetry: boolean,
  ): Promise<WireAnswer> {
    const route = routeTo(signed.url);
    const admission = wire.breakers.admit(route, isRetry);
    if ('since' in admission) throw silent(admission);
    const patient = request.once ? ONLY_TIMEOUT_MS : admission.timeoutMilliseconds;
    const fetchedAt = wire.clock.now();
    const sentAt = wire.clock.monotonic();
    try {
      const answer = await wire.network.send(
        {
          method: signed.method,
          url: signed.url.href,
          headers: signed.headers,
          ...(signed.body !== undefined && { body: signed.body }),
        },
        {
          addresses: caller.addresses,
          timeoutMilliseconds: Math.min(patient, patience.answerWait()),
          maximumBytes: MOST_BYTES,
          ...(request.isBinary && { encoding: 'latin1' }),
          ...(caller.signal && { signal: caller.signal }),
        },
      );
      const took = wire.clock.monotonic() - sentAt;
      if (isUnable(answer.status)) wire.breakers.unable(route, took);
      else wire.breakers.answered(route, took);
      return { ...answer, fetchedAt };
    } catch (error) {
      if (isSilence(error) && !caller.signal?.aborted) wire.breakers.silent(route);
      if (isTooLarge(error)) wire.breakers.answered(route, wire.clock.monotonic() - sentAt);
      throw error;
    }
  }

  function routeTo({ origin }: URL): Route {
    return { origin, lane: caller.lane };
  }

  function addressOf(request: CallRequest, used: Credentials): URL {
    const own = new URL(hostOf(request.host ?? 'default', used));
    const stand = caller.hostUrls?.[request.host ?? 'default'] ?? caller.baseUrl;
    const url = stand ? new URL(own.pathname, stand) : own;
    url.pathname = url.pathname.replace(/\/$/, '') + request.path;
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  function hostOf(name: string, used: Credentials): string {
    if (name.startsWith('https://')) return name;
    const hosts: Readonly<Record<string, string>> = connector.auth.hosts(used);
    return (hosts[name] ?? hosts.default) as string;
  }

  function laneOf(request: CallRequest): string {
    const name = request.rate ?? 'default';
    const rate = connector.rates[name] ?? connector.rates.default;
    return `${connector.slug}:${rate.shared === 'server' ? 'server' : caller.lane}:${name}`;
  }

  function verdictOf(answer: WireAnswer, request: CallRequest): Verdict {
    if (request.expect?.includes(answer.status)) return 'ok';
    const special = connector.verdict?.(answer) ?? null;
    if (special !== null) return special;
    if (answer.status >= 200 && answer.status < 300) return 'ok';
    if (answer.status === 401) return 'renew';
    return answer.status === 429 || isUnable(answer.status) ? 'retry' : 'refuse';
  }

  /**
   * A body cut short or not JSON is a failed transfer; well-formed JSON of another shape is another
   * matter.
   */
  function readAnswer<T>(
    answer: WireAnswer,
    read: (answer: WireAnswer) => T,
  ): { value: T } | Failed {
    try {
      return { value: read(answer) };
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      return {
        error: new UpstreamError('unreadable', connector.slug, 'the body is not JSON', {
          status: answer.status,
          cause,
        }),
        wait: null,
      };
    }
  }

  function parse<T>(answer: WireAnswer, schema: ZodType<T>, path: string): T {
    const parsed = schema.safeParse(documentOf(answer));
    if (parsed.success) return parsed.data;
    throw new UpstreamError('unreadable', connector.slug, `${path}: ${firstFault(parsed.error)}`, {
      status: answer.status,
    });
  }

  /** A short pause that this piece of work does not wait for is no failure. */
  function putOff(error: UpstreamError, wait: number): UpstreamError {
    if (error.kind !== 'throttled' || wait > SHORT_PAUSE_MS || patience === PATIENT) return error;
    const retryAfter = Math.ceil(wait / 1000);
    return new UpstreamError('paced', connector.slug, error.message, { retryAfter, cause: error });
  }

  function silent({ since, retryMilliseconds }: Refusal): UpstreamError {
    return new UpstreamError('unreachable', connector.slug, `no answer since ${since}`, {
      since,
      retryAfter: Math.ceil(retryMilliseconds / 1000),
      isUnsent: true,
    });
  }

  function paced({ message, milliseconds }: TooLongError): UpstreamError {
    return new UpstreamError('paced', connector.slug, message, {
      retryAfter: Math.ceil(milliseconds / 1000),
    });
  }

  function lost(error: NetworkError, since: Instant | null): UpstreamError {
    return new UpstreamError(LOST[error.kind], connector.slug, error.message, {
      isUnsent: error.isUnsent,
      since,
      cause: error,
    });
  }

  function step(): Call<Credentials> {
    const budget = openBudget(connector.slug);
    const within = <T>(request: CallRequest, read: (answer: WireAnswer) => T): Promise<T> => {
      budget.ask();
      return ask(request, (answer) => {
        budget.take(answer);
        return read(answer);
      });
    };
    return {
      service: connector.slug,
      get credentials() {
        return credentials;
      },
      now: () => wire.clock.now(),
      request: async (request) => within(request, assertWhole),
      get: async (path, schema, options: CallOptions = {}) =>
        within({ ...options, method: 'GET', path }, (answer) => parse(answer, schema, path)),
    };
  }

  // Assigned to, so that the credentials stay those of the moment.
  return Object.assign(step(), { step });
}

/** The host says that it cannot answer now. */
function isUnable(status: number): boolean {
  return status === 408 || status >= 500;
}

/**
 * Nothing came back in time; an address that we refuse and an answer that is too large are another
 * matter.
 */
function isSilence(error: unknown): boolean {
  return error instanceof NetworkError && (error.kind === 'timeout' || error.kind === 'broken');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof NetworkError && error.kind === 'too_large';
}

/** A session that the connector opened itself is renewed by nobody else. */
function isForConnector(verdict: Verdict, { anonymous }: CallRequest): boolean {
  return verdict === 'refuse' || (verdict === 'renew' && anonymous === true);
}

/** @throws SyntaxError where a body says that it is JSON and is not */
function assertWhole(answer: WireAnswer): WireAnswer {
  if (answer.body !== '' && answer.headers['content-type']?.includes('json')) documentOf(answer);
  return answer;
}

/** The path of the first wrong field and what is wrong with it. */
function firstFault(error: ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : 'unknown';
}

function bodyOf(request: CallRequest): {
  headers: Record<string, string>;
  body: string | undefined;
} {
  const headers = { accept: 'application/json', 'user-agent': 'Tianguis/1', ...request.headers };
  if (!request.body) return { headers, body: undefined };
  if ('json' in request.body)
    return {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(request.body.json),
    };
  const form = new URLSearchParams(request.body.form).toString();
  return {
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
  };
}

/** Retry-After, in seconds or as a date. */
function secondsOf(header: string | undefined, clock: Clock): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), 86_400);
  const date = parseHttpDate(header);
  return date && Math.max(0, Math.ceil(clock.now().until(date).total('seconds')));
}
