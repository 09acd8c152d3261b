import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A reporter: each file and its seconds, as `tests/run.ts` reads them to start the longest first. */
export default async function* durations(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds: [file: string, seconds: number][] = [];
  for await (const { type, data } of events)
    if (type === 'test:summary' && data.file)
      seconds.push([relative(process.cwd(), data.file), Math.round(data.duration_ms / 1_000)]);
  yield `${JSON.stringify(Object.fromEntries(seconds.toSorted(([, a], [, b]) => b - a)), null, 2)}\n`;
}
