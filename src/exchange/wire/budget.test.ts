import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFewValues, openBudget } from './budget.ts';

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
