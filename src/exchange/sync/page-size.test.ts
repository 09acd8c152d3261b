import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stream, StreamRequest } from '../../connectors/contract.ts';
import { tooLarge, tooLargeIn } from '../../connectors/too-large.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import type { StepCall } from '../wire/call.ts';
import { openPageSize } from './page-size.ts';
import { askPage } from './pages-of.ts';

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
  const size = openPageSize(stream, call, { limit: null, note });
  const page = await askPage(stream, call, size, { position: null } as StreamRequest);

  assert.deepEqual(asked, [50, 25, 12, 6, 3, 1, 1]);
  assert.deepEqual(page.items, [tooLarge('A1')]);
  assert.deepEqual(noted, [25, 12, 6, 3, 1, 0, null], 'the next run knows how far this one came');
  assert.equal(steps, asked.length + 1, 'each try is a step of its own');
});

/** A list by offset, whose rows at these places are too large, and which does not name them. */
function listOf(rows: number, large: ReadonlySet<number>): Stream<unknown, unknown> {
  return {
    every: { minutes: 60 },
    overlap: { minutes: 0 },
    pageSize: 8,
    async page(_call, { position, limit }) {
      const places = Array.from({ length: limit }, (_, at) => Number(position) + at);
      const asked = places.filter((place) => place < rows);
      if (asked.some((place) => large.has(place)))
        throw new UpstreamError('too_large', 'liverpool', 'an answer of more than so many bytes');
      const items = asked.map((place) => ({ ok: true as const, item: place }));
      return { items, next: items.length < limit ? null : String(Number(position) + limit) };
    },
    tooLarge: async (_call, { position }) => ({
      items: [tooLargeIn('orders')],
      next: String(Number(position) + 1),
    }),
  };
}

async function readAll(stream: Stream<unknown, unknown>): Promise<unknown[]> {
  const call = { step: () => ({}) } as unknown as StepCall<unknown>;
  const size = openPageSize(stream, call, { limit: null, note: async () => {} });
  const read: unknown[] = [];
  for (let position: string | null = '0'; position !== null; ) {
    const page = await askPage(stream, call, size, { position } as StreamRequest);
    read.push(...page.items.map((each) => (each.ok ? each.item : 'aside')));
    position = page.next;
  }
  return read;
}

test('twenty neighbours without a name that are too large cost only themselves', async () => {
  const large = new Set(Array.from({ length: 20 }, (_, at) => 10 + at));

  const read = await readAll(listOf(50, large));

  const others = Array.from({ length: 50 }, (_, at) => at).filter((place) => !large.has(place));
  assert.deepEqual(
    read.filter((each) => each !== 'aside'),
    others,
  );
  assert.equal(read.filter((each) => each === 'aside').length, 20);
});

test('large rows at the end of a list cost only themselves', async () => {
  const read = await readAll(listOf(14, new Set([10, 11, 12, 13])));

  assert.deepEqual(read.slice(0, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(new Set(read.slice(10)), new Set(['aside']));
});

test('where no row of hundreds can be read, the service is at fault, and none is left out', async () => {
  const all = new Set(Array.from({ length: 2_000 }, (_, at) => at));

  await assert.rejects(readAll(listOf(2_000, all)), { kind: 'too_large' });
});
