import type { BreakerStates, Circuit, Host, Moment, Route, RouteState } from './breaker-states.ts';
import type { Clock } from './clock.ts';
import { memoryStates } from './memory-breaker-states.ts';
import type { Instant } from './time.ts';

/** A circuit breaker that is open: of one connection, or of a host and so of all its connections. */
interface OpenBreaker {
  readonly service: string;
  readonly scope: 'connection' | 'host';
}

/** Leave to make one call. */
interface Admission {
  /** How long to wait for the answer. */
  readonly timeoutMilliseconds: number;
}

/** No leave: there is no answer to be had. */
export interface Refusal {
  /** Since when there was none. */
  readonly since: Instant;
  /** Milliseconds until the next call may try. */
  readonly retryMilliseconds: number;
}

/**
 * A circuit breaker for each connection at each host, and one for the host. After three failures in
 * a row one opens: calls fail at once, but for one a minute that tries whether there is an answer
 * again. The first answer closes it. A host's own opens only for silence, and only where more than
 * one connection met it: what fails for one seller stops no other.
 */
export interface Breakers {
  /**
   * Asks before a call, and takes the minute's try where a breaker is open. `isRetry`: the call was
   * just tried.
   */
  admit(route: Route, isRetry: boolean): Promise<Admission | Refusal>;
  /** The same without taking anything; null = a call would be admitted. */
  refusal(route: Route): Promise<Refusal | null>;
  /** There was an answer, whatever it said. */
  answered(route: Route, tookMilliseconds: number): Promise<void>;
  /** The host answered that it cannot answer this one now. */
  unable(route: Route, tookMilliseconds: number): Promise<void>;
  /** There was no answer in time. */
  silent(route: Route): Promise<void>;
  /** Those that are open now, of the routes that this process called. */
  open(): Promise<readonly OpenBreaker[]>;
}

const FAILURES_TO_OPEN = 3;
/** So many connections must have met a host's silence until it concerns the others. */
const LANES_TO_OPEN = 2;
const TRY_EVERY_MS = 60_000;
/** A host that hangs costs this much; one that is known to answer slowly is given longer. */
const TIMEOUT_MS = 5_000;
const LONG_TIMEOUT_MS = 20_000;
/** While there is no answer, every so many tries may take long: the host may have become slow. */
const LONG_TRY_EVERY = 4;
const SLOW_MS = TIMEOUT_MS / 2;
const SLOW_FOR_MS = 3_600_000;

/** @param states absent = those of this process alone */
export function openBreakers(clock: Clock, states: BreakerStates = memoryStates(clock)): Breakers {
  const failed = ({ service }: Route, circuit: Circuit | null, { now }: Moment): Circuit => {
    const { failures, since, tries } = circuit ?? { failures: 0, since: clock.millis(), tries: 0 };
    return { service, failures: failures + 1, since, triedAt: now, tries };
  };
  return {
    refusal: (route) =>
      states.change(route, (state, moment) => ({ state, result: refusalOf(state, moment) })),
    admit: (route, isRetry) =>
      states.change<Admission | Refusal>(route, (state, moment) => {
        const refused = refusalOf(state, moment);
        if (refused) return { state, result: refused };
        const isSlow = (state.host?.slowUntil ?? 0) > moment.now;
        const open = openOnes(state);
        const tried = open.length > 0 ? withTry(state, moment) : state;
        const isLongTry =
          open.length > 0
            ? openOnes(tried).some(({ tries }) => tries % LONG_TRY_EVERY === 0)
            : isRetry;
        const timeoutMilliseconds = isLongTry || isSlow ? LONG_TIMEOUT_MS : TIMEOUT_MS;
        return { state: tried, result: { timeoutMilliseconds } };
      }),
    answered: (route, took) =>
      states.change(route, (state, moment) => {
        const host = answeringHost(state.host, took, moment);
        const isSame = state.lane === null && host === state.host;
        return { state: isSame ? state : { lane: null, host }, result: undefined };
      }),
    unable: (route, took) =>
      states.change(route, (state, moment) => {
        const host = answeringHost(state.host, took, moment);
        return { state: { lane: failed(route, state.lane, moment), host }, result: undefined };
      }),
    silent: (route) =>
      states.change(route, (state, moment) => {
        const { circuit = null, silentLanes = [], slowUntil = 0 } = state.host ?? {};
        const isKnown = silentLanes.length >= LANES_TO_OPEN || silentLanes.includes(route.lane);
        const host = {
          circuit: failed(route, circuit, moment),
          silentLanes: isKnown ? silentLanes : [...silentLanes, route.lane],
          slowUntil,
        };
        return { state: { lane: failed(route, state.lane, moment), host }, result: undefined };
      }),
    async open() {
      const { lanes, hosts } = await states.known();
      const open = (scope: OpenBreaker['scope'], circuits: readonly (Circuit | null)[]) =>
        circuits.filter(isOpen).map(({ service }) => ({ service, scope }));
      return [...open('connection', lanes), ...open('host', hosts.map(sharedCircuit))];
    },
  };
}

/** The open ones that concern a call. */
function openOnes({ lane, host }: RouteState): Circuit[] {
  return [lane, sharedCircuit(host)].filter(isOpen);
}

/** That of a host, where it concerns all its connections. */
function sharedCircuit(host: Host | null): Circuit | null {
  return host && host.silentLanes.length >= LANES_TO_OPEN ? host.circuit : null;
}

function isOpen(circuit: Circuit | null): circuit is Circuit {
  return circuit !== null && circuit.failures >= FAILURES_TO_OPEN;
}

function refusalOf(state: RouteState, { now, deciders }: Moment): Refusal | null {
  const open = openOnes(state);
  // Processes that do not know of each other make one try a minute together.
  const every = TRY_EVERY_MS * deciders;
  const wait = Math.max(0, ...open.map(({ triedAt }) => triedAt + every - now));
  if (wait === 0) return null;
  const since = Math.min(...open.map((circuit) => circuit.since));
  return { since: Temporal.Instant.fromEpochMilliseconds(since), retryMilliseconds: wait };
}

/** The state after the try of the minute was taken. */
function withTry({ lane, host }: RouteState, { now }: Moment): RouteState {
  const tried = (circuit: Circuit) => ({ ...circuit, triedAt: now, tries: circuit.tries + 1 });
  const shared = sharedCircuit(host);
  return {
    lane: isOpen(lane) ? tried(lane) : lane,
    host: host && isOpen(shared) ? { ...host, circuit: tried(shared) } : host,
  };
}

/** A host that answered after so long; null = nothing of it is remembered. */
function answeringHost(host: Host | null, took: number, { now }: Moment): Host | null {
  if (took >= SLOW_MS) return { circuit: null, silentLanes: [], slowUntil: now + SLOW_FOR_MS };
  if (!host || host.slowUntil <= now) return null;
  const isAnswering = host.circuit === null && host.silentLanes.length === 0;
  return isAnswering ? host : { ...host, circuit: null, silentLanes: [] };
}
