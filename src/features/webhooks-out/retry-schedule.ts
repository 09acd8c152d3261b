const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds between one try of a delivery and the next. The try after the last one ends it. */
export const RETRY_WAITS: readonly number[] = [
  ...[5, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
];
/** Of one delivery. */
export const TRIES: number = RETRY_WAITS.length + 1;
const JITTER = 0.2;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 5 * MINUTE;

/**
 * Until the next try, in seconds.
 * @param tries that were made and failed
 * @param retryAfter what the endpoint asked for, in seconds; held up to the step after the next
 * @param random from 0 to 1
 * @returns null when that was the last try
 */
export function waitAfter(tries: number, retryAfter: number | null, random: number): number | null {
  const wait = RETRY_WAITS[tries - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return Math.max(jittered, Math.min(retryAfter ?? 0, RETRY_WAITS[tries] ?? wait));
}

/** How long an endpoint that cannot keep up is left alone, in seconds: 5, 10, 20, up to 300. */
export function pauseAfter(slowDowns: number): number {
  return Math.min(FIRST_PAUSE * 2 ** Math.min(slowDowns, 10), LONGEST_PAUSE);
}
