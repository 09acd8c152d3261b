import assert from 'node:assert/strict';
import { test } from 'node:test';
import { salesSearch, todayIn } from './periods.ts';
import { keysBetween, presetOf, presetsUntil } from './presets.ts';

test('every day, week and month of a period has its place, those without sales too', () => {
  assert.deepEqual(keysBetween('2026-02-27', '2026-03-01', 'day'), [
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ]);
  assert.deepEqual(keysBetween('2026-11-22', '2026-11-23', 'week'), ['2026-11-16', '2026-11-23']);
  assert.deepEqual(keysBetween('2026-12-31', '2027-01-01', 'month'), ['2026-12', '2027-01']);
  assert.deepEqual(keysBetween('2026-12-02', '2026-12-01', 'day'), []);
});

test('today is that of the organisation', () => {
  assert.equal(todayIn('America/Mexico_City', Date.parse('2026-11-23T05:59:00Z')), '2026-11-22');
  assert.equal(todayIn('America/Mexico_City', Date.parse('2026-11-23T06:00:00Z')), '2026-11-23');
});

test('the periods one click away are today and yesterday, seven days and thirty, and those of the calendar', () => {
  const daysOf = (today: string) =>
    Object.fromEntries(
      presetsUntil(today).map(({ name, desde, hasta }) => [name, `${desde} ${hasta}`]),
    );
  assert.deepEqual(daysOf('2026-11-25'), {
    today: '2026-11-25 2026-11-25',
    yesterday: '2026-11-24 2026-11-24',
    thisWeek: '2026-11-23 2026-11-25',
    week: '2026-11-19 2026-11-25',
    days: '2026-10-27 2026-11-25',
    month: '2026-11-01 2026-11-25',
    lastMonth: '2026-10-01 2026-10-31',
    year: '2025-11-26 2026-11-25',
  });
  assert.equal(daysOf('2027-01-03').thisWeek, '2026-12-28 2027-01-03');
  assert.equal(daysOf('2027-03-31').lastMonth, '2027-02-01 2027-02-28');
});

test('on a Sunday seven days are this week, too, and the one that was chosen is marked', () => {
  const sunday = presetsUntil('2027-01-03');
  const week = { desde: '2026-12-28', hasta: '2027-01-03' };
  assert.equal(presetOf(sunday, { ...week, lapso: 'week' })?.name, 'week');
  assert.equal(presetOf(sunday, { ...week, lapso: 'thisWeek' })?.name, 'thisWeek');
  assert.equal(presetOf(sunday, { ...week, lapso: 'year' })?.name, 'thisWeek', 'a day was changed');
  const monday = presetsUntil('2027-01-04');
  assert.equal(presetOf(monday, { ...week, lapso: 'week' }), null, 'the week of yesterday');
});

test('an address says only what the screen knows', () => {
  const given = { desde: '2026-13-40', hasta: '2026-11-30', por: 'hour', parte: 'product', x: 1 };
  assert.deepEqual(salesSearch(given), { hasta: '2026-11-30', parte: 'product' });
});
