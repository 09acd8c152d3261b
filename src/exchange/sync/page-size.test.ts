import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pass, Stream } from '../../connectors/contract.ts';
import { tooLarge } from '../../connectors/kit.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { StepCall } from '../wire/call.ts';
import { openSizedPages } from './page-size.ts';

test('a page whose rows together go beyond their step is asked for in smaller parts, and one row alone is set aside', async () => {
  const asked: number[] = [];
  const stream: Stream<unknown, unknown> = {
    every: { minutes: 60 },
    overlap: { minutes: 0 },
    pageSize: 50,
    async page(_call, { limit }) {
      asked.push(limit);
      throw new UpstreamError('endless', 'woocommerce', 'more than so many bytes for one step');
    },
    tooLarge: async () => ({ items: [tooLarge('A1')], next: null }),
  };
  let steps = 0;
  const call = { step: () => ({ number: ++steps }) } as unknown as StepCall<unknown>;

  const noted: (number | null)[] = [];
  const note = async (limit: number | null) => void noted.push(limit);
  const page = await openSizedPages(stream, call, { limit: null, note }).ask({
    position: null,
  } as Pass);

  assert.deepEqual(asked, [50, 25, 12, 6, 3, 1, 1]);
  assert.deepEqual(page.items, [tooLarge('A1')]);
  assert.deepEqual(noted, [25, 12, 6, 3, 1, 0, null], 'the next run knows how far this one came');
  assert.equal(steps, asked.length + 1, 'each try is a step of its own');
});
