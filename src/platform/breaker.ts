import type { Clock } from './clock.ts';
import type { Instant } from './time.ts';

/** Where a call goes, and for whom. */
export interface Route {
  readonly origin: string;
  /** The connection that asks. */
  readonly lane: string;
  /** The marketplace or carrier, for the metrics. */
  readonly service: string;
}

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
  admit(route: Route, isRetry: boolean): Admission | Refusal;
  /** The same without taking anything; null = a call would be admitted. */
  refusal(route: Route): Refusal | null;
  /** There was an answer, whatever it said. */
  answered(route: Route, tookMilliseconds: number): void;
  /** The host answered that it cannot answer this one now. */
  unable(route: Route, tookMilliseconds: number): void;
  /** There was no answer in time. */
  silent(route: Route): void;
  /** Those that are open now. */
  open(): readonly OpenBreaker[];
}

interface Circuit {
  readonly service: string;
  failures: number;
  readonly firstFailedAt: Instant;
  /** Of the clock that only goes forward. */
  lastTriedAt: number;
  tries: number;
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
const MOST_REMEMBERED = 50_000;

/** Breakers in the memory of this process. */
export function openBreakers(clock: Clock): Breakers {
  /** Failing ones alone need an entry; of connections by origin and lane, of hosts by origin. */
  const ofLanes = new Map<string, Circuit>();
  const ofHosts = new Map<string, Circuit>();
  const silentLanes = new Map<string, Set<string>>();
  /** Until when a host is known to answer slowly. */
  const slowHosts = new Map<string, number>();

  function fail(circuits: Map<string, Circuit>, key: string, { service }: Route): void {
    const circuit = circuits.get(key) ?? {
      service,
      failures: 0,
      firstFailedAt: clock.now(),
      lastTriedAt: 0,
      tries: 0,
    };
    circuit.failures += 1;
    circuit.lastTriedAt = clock.monotonic();
    remember(circuits, key, circuit);
  }

  function isShared(origin: string): boolean {
    return (silentLanes.get(origin)?.size ?? 0) >= LANES_TO_OPEN;
  }

  /** The open ones that concern a call. */
  function openOnes(route: Route): Circuit[] {
    const host = isShared(route.origin) ? ofHosts.get(route.origin) : undefined;
    return [ofLanes.get(keyOf(route)), host].filter(isOpen);
  }

  function refusal(route: Route): Refusal | null {
    const open = openOnes(route);
    const wait = Math.max(
      0,
      ...open.map(({ lastTriedAt }) => lastTriedAt + TRY_EVERY_MS - clock.monotonic()),
    );
    return wait > 0 ? { since: earliestOf(open), retryMilliseconds: wait } : null;
  }

  function noteSpeed(origin: string, tookMilliseconds: number): void {
    if (tookMilliseconds >= SLOW_MS) remember(slowHosts, origin, clock.monotonic() + SLOW_FOR_MS);
    else if ((slowHosts.get(origin) ?? 0) <= clock.monotonic()) slowHosts.delete(origin);
  }

  function closeHost(origin: string): void {
    ofHosts.delete(origin);
    silentLanes.delete(origin);
  }

  return {
    refusal,
    admit(route, isRetry) {
      const refused = refusal(route);
      if (refused) return refused;
      const open = openOnes(route);
      for (const circuit of open) {
        circuit.lastTriedAt = clock.monotonic();
        circuit.tries += 1;
      }
      const isLongTry =
        open.length > 0 ? open.some(({ tries }) => tries % LONG_TRY_EVERY === 0) : isRetry;
      const isSlow = (slowHosts.get(route.origin) ?? 0) > clock.monotonic();
      return { timeoutMilliseconds: isLongTry || isSlow ? LONG_TIMEOUT_MS : TIMEOUT_MS };
    },
    answered(route, tookMilliseconds) {
      noteSpeed(route.origin, tookMilliseconds);
      closeHost(route.origin);
      ofLanes.delete(keyOf(route));
    },
    unable(route, tookMilliseconds) {
      noteSpeed(route.origin, tookMilliseconds);
      closeHost(route.origin);
      fail(ofLanes, keyOf(route), route);
    },
    silent(route) {
      const lanes = silentLanes.get(route.origin) ?? new Set<string>();
      if (lanes.size < LANES_TO_OPEN) lanes.add(route.lane);
      remember(silentLanes, route.origin, lanes);
      fail(ofHosts, route.origin, route);
      fail(ofLanes, keyOf(route), route);
    },
    open() {
      const lanes = [...ofLanes.values()].filter(isOpen);
      const hosts = [...ofHosts].filter(([origin, host]) => isShared(origin) && isOpen(host));
      return [
        ...lanes.map(({ service }) => ({ service, scope: 'connection' as const })),
        ...hosts.map(([, { service }]) => ({ service, scope: 'host' as const })),
      ];
    },
  };
}

function keyOf({ origin, lane }: Route): string {
  return `${origin} ${lane}`;
}

function isOpen(circuit: Circuit | undefined): circuit is Circuit {
  return circuit !== undefined && circuit.failures >= FAILURES_TO_OPEN;
}

function earliestOf(circuits: readonly Circuit[]): Instant {
  const times = circuits.map(({ firstFailedAt }) => firstFailedAt);
  return times.reduce((one, other) => (Temporal.Instant.compare(one, other) <= 0 ? one : other));
}

/** The oldest entry makes room. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  const [oldest] = map.keys();
  if (map.size >= MOST_REMEMBERED && !map.has(key) && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
