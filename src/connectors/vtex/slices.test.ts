import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLossless } from '../../platform/json.ts';
import type { Call } from '../contract.ts';
import type { VtexCredentials } from './credentials.ts';
import { PAGE_SIZE, readSlice, type Slice, sliceOf } from './slices.ts';

const HOUR = 3_600_000;
const TO = Temporal.Instant.from('2026-11-16T18:00:00Z');

/**
 * A list that shows the first 3,000 of what was created in a span, a hundred a page, and refuses
 * page 31.
 */
function listOf(created: readonly number[]) {
  let calls = 0;
  const get: Call<VtexCredentials>['get'] = async (_path, schema, options) => {
    calls += 1;
    const { page = 0, per_page = 0, f_creationDate = '' } = options?.query ?? {};
    assert.ok(Number(page) <= 30, 'page 31 was asked for');
    const [, from = '', to = ''] = /\[(\S+) TO (\S+)\]/.exec(String(f_creationDate)) ?? [];
    const found = created.filter((at) => at >= millis(from) && at <= millis(to));
    const rows = found.slice(
      (Number(page) - 1) * Number(per_page),
      Number(page) * Number(per_page),
    );
    const list = rows.map((at) => ({ orderId: `v${at}` }));
    return schema.parse(parseLossless(JSON.stringify({ list, paging: { total: found.length } })));
  };
  return { call: { get } as Call<VtexCredentials>, calls: () => calls };
}

function millis(time: string): number {
  return Temporal.Instant.from(time).epochMilliseconds;
}

async function readAll(call: Call<VtexCredentials>, first: Slice): Promise<Set<unknown>> {
  const seen = new Set<unknown>();
  for (let slice: Slice | null = first; slice; ) {
    const { rows, next } = await readSlice(call, 'creationDate', slice, PAGE_SIZE);
    for (const row of rows) seen.add((row as { orderId: string }).orderId);
    slice = next;
  }
  return seen;
}

test('a list that shows 3,000 orders at most is read in spans of time that have fewer', {
  tags: ['slow'],
}, async () => {
  const end = TO.epochMilliseconds;
  const quiet = Array.from({ length: 2_500 }, (_, index) => end - (2_500 - index) * 6 * HOUR);
  const crowded = Array.from({ length: 7_000 }, (_, index) => end - 1_000 * HOUR + index * 300);
  const created = [...quiet, ...crowded].sort((a, b) => a - b);
  const { call, calls } = listOf(created);

  const seen = await readAll(call, sliceOf({ from: null, to: TO }));

  assert.equal(seen.size, new Set(created).size);
  assert.ok(calls() < 250, `${calls()} calls for ${created.length} orders`);
});

test('a span that fits is read page by page, and an empty one by one call', async () => {
  const end = TO.epochMilliseconds;
  const { call, calls } = listOf([1, 2, 3].map((hours) => end - hours * HOUR));
  const window = { from: TO.subtract({ hours: 24 }), to: TO };

  const seen = await readAll(call, sliceOf(window));

  assert.equal(seen.size, 3);
  assert.equal(calls(), 1);
  assert.equal((await readAll(listOf([]).call, sliceOf(window))).size, 0);
});
