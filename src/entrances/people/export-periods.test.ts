import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOfPeriod, PERIOD_OPTIONS } from './export-periods.ts';

const of = (name: string, today: string) => {
  const days = daysOfPeriod(name, Temporal.PlainDate.from(today));
  return days && [days.from, days.to];
};

test('a period by name has its days, the last one included', () => {
  assert.deepEqual(of('este-mes', '2026-11-27'), ['2026-11-01', '2026-11-27']);
  assert.deepEqual(of('mes-pasado', '2026-03-31'), ['2026-02-01', '2026-02-28']);
  assert.deepEqual(of('mes-pasado', '2026-01-01'), ['2025-12-01', '2025-12-31']);
  assert.deepEqual(of('7-dias', '2026-03-02'), ['2026-02-24', '2026-03-02']);
  assert.deepEqual(of('30-dias', '2026-11-27'), ['2026-10-29', '2026-11-27']);
});

test('no name, and one that is none, is no period', () => {
  for (const name of ['', 'ayer', 'toString']) assert.equal(of(name, '2026-11-27'), null, name);
  assert.deepEqual(PERIOD_OPTIONS[0]?.[0], '');
});
