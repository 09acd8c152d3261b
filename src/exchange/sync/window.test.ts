import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stream } from '../../connectors/contract.ts';
import type { StreamProgress } from '../../features/connections/index.ts';
import { windowOf } from './window.ts';

const NOW = Temporal.Instant.from('2026-11-20T18:00:00Z');
const STREAM = { overlap: { minutes: 30 } } as Stream<unknown, unknown>;

for (const [what, watermark, from] of [
  ['an hour ago', '2026-11-20T17:00:00Z', '2026-11-20T16:30:00Z'],
  ['a year ahead, left by a clock that was wrong,', '2027-11-20T18:00:00Z', '2026-11-20T17:30:00Z'],
] as const)
  test(`after a watermark ${what} a sync run reads from ${from}`, () => {
    const progress: StreamProgress = {
      watermark: Temporal.Instant.from(watermark),
      isFirstImport: false,
      run: null,
    };

    const window = windowOf(STREAM, progress, NOW);

    assert.deepEqual([String(window.from), String(window.to)], [from, String(NOW)]);
  });
