import {
  type BreakerStates,
  type Circuit,
  type Host,
  laneKey,
  memoryStates,
  type Route,
  type RouteState,
} from './breaker-states.ts';
import type { Clock } from './clock.ts';
import { askRedis, REDIS_NOW, type Redis } from './redis.ts';
import type { RedisMembers } from './redis-members.ts';

interface StatesRedis extends Redis {
  readStates(...args: (string | number)[]): Promise<[number, ...(string | null)[]]>;
  writeState(...args: (string | number)[]): Promise<number>;
}

// KEYS: states. ARGV: turned by.
const READ = `${REDIS_NOW}
local answer = {now}
for place, key in ipairs(KEYS) do answer[place + 1] = redis.call('get', key) end
return answer`;

// KEYS: lane, host. ARGV: both as they were read, both anew, time to live; empty = there is none.
const WRITE = `
for place = 1, 2 do
  if (redis.call('get', KEYS[place]) or '') ~= ARGV[place] then return 0 end
end
for place = 1, 2 do
  local state = ARGV[place + 2]
  if state == '' then redis.call('del', KEYS[place])
  else redis.call('set', KEYS[place], state, 'px', ARGV[5]) end
end
return 1`;

/** A state that no call touched for so long is forgotten. */
const KEPT_MS = 24 * 3_600_000;

/**
 * States in Redis, the same for all processes. While it is away each process goes on with what it
 * read or changed last, as one of several that decide.
 * @param callers the processes that share them
 */
export function sharedBreakerStates(
  given: Redis,
  clock: Clock,
  callers: RedisMembers,
  turnedBy: () => number,
  onError: (error: unknown) => void,
): BreakerStates {
  const redis = given as StatesRedis;
  redis.defineCommand('readStates', { lua: READ });
  redis.defineCommand('writeState', { numberOfKeys: 2, lua: WRITE });
  /** From the monotonic time of this process to that of Redis. */
  let ahead = clock.millis() - clock.monotonic();
  let isAway = false;
  const alone = memoryStates(clock, () => ({
    now: clock.monotonic() + ahead,
    deciders: callers.count(),
  }));

  async function read(keys: readonly string[]): Promise<[number, ...(string | null)[]]> {
    const answer = await askRedis(redis, () => redis.readStates(keys.length, ...keys, turnedBy()));
    ahead = answer[0] - clock.monotonic();
    return answer;
  }

  async function changeThere<Result>(
    route: Route,
    change: Parameters<typeof alone.change<Result>>[1],
  ): Promise<Result> {
    const keys = [ofLane(laneKey(route)), ofHost(route.origin)];
    for (;;) {
      const [now, lane = null, host = null] = await read(keys);
      const before: RouteState = { lane: opened<Circuit>(lane), host: opened<Host>(host) };
      const { state, result } = change(before, { now, deciders: 1 });
      if (state !== before) {
        const anew = [closed(state.lane), closed(state.host)];
        const write = () => redis.writeState(...keys, lane ?? '', host ?? '', ...anew, KEPT_MS);
        // Another process changed it meanwhile.
        if ((await askRedis(redis, write)) !== 1) continue;
      }
      alone.put(route, state);
      return result;
    }
  }

  async function orAlone<Result>(
    there: () => Promise<Result>,
    here: () => Promise<Result>,
  ): Promise<Result> {
    await callers.counted;
    try {
      const result = await there();
      isAway = false;
      return result;
    } catch (error) {
      // Once an outage, not once a call.
      if (!isAway) onError(error);
      isAway = true;
      return here();
    }
  }

  return {
    change: (route, change) =>
      orAlone(
        () => changeThere(route, change),
        () => alone.change(route, change),
      ),
    known: () =>
      orAlone(async () => {
        const lanes = [...alone.lanes.keys()].map(ofLane);
        const hosts = [...alone.hosts.keys()].map(ofHost);
        const [, ...states] = await read([...lanes, ...hosts]);
        return {
          lanes: states.slice(0, lanes.length).flatMap((state) => opened<Circuit>(state) ?? []),
          hosts: states.slice(lanes.length).flatMap((state) => opened<Host>(state) ?? []),
        };
      }, alone.known),
  };
}

function ofLane(key: string): string {
  return `tianguis:breaker:lane:${key}`;
}

function ofHost(origin: string): string {
  return `tianguis:breaker:host:${origin}`;
}

function opened<State>(text: string | null): State | null {
  return text ? (JSON.parse(text) as State) : null;
}

function closed(state: Circuit | Host | null): string {
  return state ? JSON.stringify(state) : '';
}
