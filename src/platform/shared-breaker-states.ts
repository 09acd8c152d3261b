import { z } from 'zod';
import {
  type BreakerStates,
  type Circuit,
  type Host,
  laneKey,
  type Route,
  type RouteState,
} from './breaker-states.ts';
import type { Clock } from './clock.ts';
import { memoryStates } from './memory-breaker-states.ts';
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
  const alone = memoryStates(clock, () => ({
    now: clock.monotonic() + ahead,
    deciders: callers.count(),
  }));
  const orAlone = fallingBack(callers, onError);

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
      const before: RouteState = { lane: circuitOf(lane), host: hostOf(host) };
      const isUnreadable = isUnreadableAs(lane, before.lane) || isUnreadableAs(host, before.host);
      if (isUnreadable)
        onError(new Error(`the state of a breaker cannot be read: ${keys.join(' ')}`));
      const { state, result } = change(before, { now, deciders: 1 });
      // Also in place of what is not readable, so that it is reported once.
      if (state !== before || isUnreadable) {
        const anew = [closed(state.lane), closed(state.host)];
        const write = () => redis.writeState(...keys, lane ?? '', host ?? '', ...anew, KEPT_MS);
        // Another process changed it meanwhile.
        if ((await askRedis(redis, write)) !== 1) continue;
      }
      alone.put(route, state);
      return result;
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
          lanes: states.slice(0, lanes.length).flatMap((state) => circuitOf(state) ?? []),
          hosts: states.slice(lanes.length).flatMap((state) => hostOf(state) ?? []),
        };
      }, alone.known),
  };
}

/** Asks Redis; while it does not answer, this process answers. */
function fallingBack(callers: RedisMembers, onError: (error: unknown) => void) {
  let isAway = false;
  return async <Result>(
    there: () => Promise<Result>,
    here: () => Promise<Result>,
  ): Promise<Result> => {
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
  };
}

function ofLane(key: string): string {
  return `tianguis:breaker:lane:${key}`;
}

function ofHost(origin: string): string {
  return `tianguis:breaker:host:${origin}`;
}

/** Whether there is a text, and nothing that was read of it. */
function isUnreadableAs(text: string | null, state: object | null): boolean {
  return Boolean(text) && state === null;
}

const circuit = z.object({
  service: z.string(),
  failures: z.number(),
  since: z.number(),
  triedAt: z.number(),
  tries: z.number(),
});
const host = z.object({
  circuit: circuit.nullable(),
  silentLanes: z.array(z.string()),
  slowUntil: z.number(),
});

function circuitOf(text: string | null): Circuit | null {
  return opened(circuit, text);
}

function hostOf(text: string | null): Host | null {
  return opened(host, text);
}

/** Null where there is none; so is a state that cannot be read. */
function opened<State>(schema: z.ZodType<State>, text: string | null): State | null {
  if (!text) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function closed(state: Circuit | Host | null): string {
  return state ? JSON.stringify(state) : '';
}
