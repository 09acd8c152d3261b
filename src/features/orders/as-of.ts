import { epochMicros, formatMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';

/**
 * The first instant that a walk does not cover, in each of its formats: computed once, sent often.
 */
export interface AsOf {
  readonly instant: Instant;
  readonly text: string;
  readonly micros: number;
}

/** An organisation's delta clock as read, and the `as of` of a walk that begins now. */
export interface DeltaClock {
  readonly stamp: Instant;
  readonly asOf: AsOf;
}

export function deltaClock(stamp: Instant): DeltaClock {
  return { stamp, asOf: asOf(stamp.add({ microseconds: 1 })) };
}

export function asOfMicros(micros: number): AsOf {
  return asOf(fromEpochMicros(micros));
}

function asOf(instant: Instant): AsOf {
  return { instant, text: formatMicros(instant), micros: epochMicros(instant) };
}
