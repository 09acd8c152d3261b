import {
  type BreakerStates,
  type Circuit,
  type Host,
  laneKey,
  type Moment,
  type Route,
  type RouteState,
} from './breaker-states.ts';
import type { Clock } from './clock.ts';

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

/** The oldest entry makes room. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
  if (value === null) return void map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= MOST_REMEMBERED && !map.has(key) && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
