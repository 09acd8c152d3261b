/** How many calls an address may make in any minute. */
import type { Wire } from '../http.ts';

const WINDOW = 60_000;

export function openLimit(perMinute: number, now: () => number) {
  const arrivals: number[] = [];

  /** All callers behind an address share one limit. */
  async function limited(answer: () => Promise<Wire>): Promise<Wire> {
    arrivals.push(now());
    if (arrivals.length > 200_000) arrivals.splice(0, 100_000);
    const used = arrivals.filter((at) => at > now() - WINDOW).length;
    const headers = {
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-remaining': String(Math.max(0, perMinute - used)),
    };
    if (used > perMinute) {
      const reset = String(Math.ceil((now() + WINDOW) / 1000));
      const more = {
        'retry-after': '60',
        'x-ratelimit-reset': reset,
        'content-type': 'application/json',
      };
      return {
        status: 429,
        headers: { ...headers, ...more },
        text: '{"message":"Too Many Attempts."}',
      };
    }
    const wire = await answer();
    return { ...wire, headers: { ...headers, ...wire.headers } };
  }

  return { limited, busiest: () => busiestOf(arrivals) };
}

function busiestOf(arrivals: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, at] of arrivals.entries()) {
    while ((arrivals[first] as number) <= at - WINDOW) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
