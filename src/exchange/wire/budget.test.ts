import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pass, Stream } from '../../connectors/contract.ts';
import { tooLarge } from '../../connectors/kit.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { openSizedPages } from '../sync/page-size.ts';
import { assertFewValues, openBudget } from './budget.ts';
import type { StepCall } from './call.ts';

const MEGABYTE = 1024 * 1024;

test('eight megabytes of orders are read; of bare values, or of nothing, they are not', () => {
  const order = JSON.stringify({
    id: 4500,
    status: 'processing',
    total: '151.75',
    number: '4500',
    note: null,
  });
  const fits = `[${Array.from({ length: (8 * MEGABYTE) / (order.length + 1) }, () => order).join(',')}]`;
  assertFewValues({ body: fits }, 'woocommerce');
  for (const value of ['1', '{}', '""', '[]']) {
    const body = `[${Array.from({ length: 1_200_000 }, () => value).join(',')}]`;
    assert.throws(() => assertFewValues({ body }, 'woocommerce'), { kind: 'too_large' });
  }
});

test('a report that is no JSON may have as many values as fit', () => {
  assertFewValues({ body: 'a,b,c\n'.repeat(MEGABYTE) }, 'mercado_libre');
});

test('a step has so many bytes and so many calls, and the next one begins anew', () => {
  const body = 'x'.repeat(8 * MEGABYTE);
  const large = openBudget('woocommerce');
  for (let answers = 0; answers < 4; answers++) large.take({ body });
  assert.throws(() => large.take({ body: 'x' }), { kind: 'endless' });
  assert.throws(() => large.ask(), { kind: 'endless' }, 'nothing more is asked');

  const busy = openBudget('woocommerce');
  for (let calls = 0; calls < 5_000; calls++) busy.ask();
  assert.throws(() => busy.ask(), { kind: 'endless' });
  openBudget('woocommerce').ask();
});

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
