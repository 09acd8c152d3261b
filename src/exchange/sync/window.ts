import type { Stream, Window } from '../../connectors/contract.ts';
import type { StreamProgress } from '../../features/connections/index.ts';
import { earlier, type Instant, latest } from '../../platform/time.ts';

/**
 * The window of a new sync run: from an overlap before the watermark until now. A watermark that a
 * wall clock ahead of ours left is read as now. A first import reaches as far back as the stream
 * says.
 */
export function windowOf(
  stream: Stream<unknown, unknown>,
  progress: StreamProgress,
  now: Instant,
): Window {
  if (progress.watermark)
    return {
      from: earlier(progress.watermark, now).subtract({ minutes: stream.overlap.minutes }),
      to: now,
    };
  return {
    from: stream.history ? now.subtract({ hours: 24 * stream.history.days }) : null,
    to: now,
  };
}

/**
 * The later of two change times, but none after the window: a marketplace's clock that runs ahead
 * must not carry the watermark past the window.
 */
export function latestWithin(
  { to }: Window,
  former: Instant | null,
  reached: Instant | null,
): Instant | null {
  const seen = latest(former, reached);
  return seen && Temporal.Instant.compare(seen, to) > 0 ? to : seen;
}
