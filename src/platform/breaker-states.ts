import type { Clock } from './clock.ts';

/** Where a call goes, and for whom. */
export interface Route {
  readonly origin: string;
  /** The connection that asks. */
  readonly lane: string;
  /** The marketplace or carrier, for the metrics. */
  readonly service: string;
}

/** Consecutive failures. Times are in milliseconds of `Moment.now`, but for `since`. */
export interface Circuit {
  readonly service: string;
  readonly failures: number;
  /** Epoch milliseconds of the first of the failures. */
  readonly since: number;
  readonly triedAt: number;
  readonly tries: number;
}

export interface Host {
  /** Its silences; null = it answered. */
  readonly circuit: Circuit | null;
  /** The connections that met its silence, so many as matter. */
  readonly silentLanes: readonly string[];
  /** Until when it is known to answer slowly. */
  readonly slowUntil: number;
}

/** What is known of a route; null = nothing that matters. */
export interface RouteState {
  readonly lane: Circuit | null;
  readonly host: Host | null;
}

export interface Moment {
  /** Only comparable with times of the same states. */
  readonly now: number;
  /** How many processes decide by themselves, this one among them. */
  readonly deciders: number;
}

/** A pure function: it runs again where another process changed the state meanwhile. */
type Change<Result> = (
  state: RouteState,
  moment: Moment,
) => { readonly state: RouteState; readonly result: Result };

/** Where the states of circuit breakers are kept. */
export interface BreakerStates {
  /** Changes the state of a route in one step; the same state = nothing is stored. */
  change<Result>(route: Route, change: Change<Result>): Promise<Result>;
  /** Of all routes that this process called. */
  known(): Promise<KnownStates>;
}

interface KnownStates {
  readonly lanes: readonly Circuit[];
  readonly hosts: readonly Host[];
}

interface MemoryStates extends BreakerStates {
  readonly lanes: Map<string, Circuit>;
  readonly hosts: Map<string, Host>;
  put(route: Route, state: RouteState): void;
}

const MOST_REMEMBERED = 50_000;

/** States in the memory of this process. @param moment of its changes; absent = it is alone */
export function memoryStates(
  clock: Clock,
  moment: () => Moment = () => ({ now: clock.monotonic(), deciders: 1 }),
): MemoryStates {
  const lanes = new Map<string, Circuit>();
  const hosts = new Map<string, Host>();
  const put = (route: Route, state: RouteState) => {
    remember(lanes, laneKey(route), state.lane);
    remember(hosts, route.origin, state.host);
  };
  return {
    lanes,
    hosts,
    put,
    async change(route, change) {
      const before = {
        lane: lanes.get(laneKey(route)) ?? null,
        host: hosts.get(route.origin) ?? null,
      };
      const { state, result } = change(before, moment());
      if (state !== before) put(route, state);
      return result;
    },
    known: async () => ({ lanes: [...lanes.values()], hosts: [...hosts.values()] }),
  };
}

export function laneKey({ origin, lane }: Route): string {
  return `${origin} ${lane}`;
}

/** The oldest entry makes room. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
  if (value === null) return void map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= MOST_REMEMBERED && !map.has(key) && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
