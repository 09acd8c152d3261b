import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decimal } from '../src/platform/money.ts';
import type { Instant } from '../src/platform/time.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder } from './support/app.ts';
import { shiftedClock, turnedClock } from './support/clock.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';

// A sale belongs to the day of the organisation's time zone, to the minute, in Ventas and in «hoy».

/** A day, and the instants at which its first and its last minute begin. */
const DAYS = [
  ['America/Mexico_City', '2025-12-10', '2025-12-10T06:00Z', '2025-12-11T05:59Z'],
  ['America/Cancun', '2025-12-01', '2025-12-01T05:00Z', '2025-12-02T04:59Z'],
  ['America/Hermosillo', '2025-12-05', '2025-12-05T07:00Z', '2025-12-06T06:59Z'],
  ['America/Tijuana', '2025-07-10', '2025-07-10T07:00Z', '2025-07-11T06:59Z'],
  ['America/Tijuana', '2025-12-15', '2025-12-15T08:00Z', '2025-12-16T07:59Z'],
  // The clocks go back: a day of 25 hours. They go forward: one of 23.
  ['America/Tijuana', '2025-11-02', '2025-11-02T07:00Z', '2025-11-03T07:59Z'],
  ['America/Tijuana', '2026-03-08', '2026-03-08T08:00Z', '2026-03-09T06:59Z'],
] as const;

// People register by better-auth's clock, which is the machine's; then ours shows other days.
const real = turnedClock(Temporal.Now.instant().toString());
let away = new Temporal.Duration();
const { instance, folder } = await openMailingInstance(WHOLE_FILE, {
  ...real,
  ...shiftedClock(real, () => away),
});
let team: Team;

before(async () => {
  team = await openTeam(instance, folder);
});

for (const [timezone, day, first, last] of DAYS)
  test(`${day} in ${timezone} begins and ends at its midnights`, async () => {
    const [midnight, end] = [Temporal.Instant.from(first), Temporal.Instant.from(last)];
    const inside = [midnight, midnight.add({ minutes: 1 }), end];
    const outside = [midnight.subtract({ minutes: 1 }), end.add({ minutes: 1 })];
    const sold = [...inside, ...outside].map((at, number) =>
      anOrder({ id: `${day} ${number}`, dateCreated: at, total: decimal('100') }),
    );
    await instance.record(sold, team.organizacion);
    await changeTo(timezone);

    const date = Temporal.PlainDate.from(day);
    const [before, after] = [date.subtract({ days: 1 }), date.add({ days: 1 })].map(String);
    const { groups } = await read(`sales.summary?from=${before}&to=${after}&group_by=day`);
    assert.deepEqual(
      groups.map((group: { key: string; orders: number }) => [group.key, group.orders]),
      [
        [before, 1],
        [day, 3],
        [after, 1],
      ],
    );
    for (const now of inside) {
      show(now);
      const { today } = await read('sales.today');
      assert.deepEqual([today.day, today.totals[0]?.orders], [day, 3], `at ${now}`);
    }
    for (const [now, other] of [
      [outside[0], before],
      [outside[1], after],
    ] as const) {
      show(now as Instant);
      const { today } = await read('sales.today');
      assert.deepEqual([today.day, today.totals[0]?.orders], [other, 1], `at ${now}`);
    }
  });

test('every day of the longest period is among its groups, in each currency', async () => {
  const first = Temporal.PlainDate.from('2023-01-01');
  const days = Array.from({ length: 400 }, (_, at) => first.add({ days: at }).toString());
  await changeTo('America/Cancun');
  const sold = days.flatMap((day) =>
    ['MXN', 'USD'].map((currency) => {
      const dateCreated = Temporal.Instant.from(`${day}T18:00:00Z`);
      return anOrder({ id: `${day} ${currency}`, dateCreated, currency, total: decimal('100') });
    }),
  );
  await instance.record(sold, team.organizacion);
  const last = days.at(-1);

  const found = await read(`sales.summary?from=${first}&to=${last}&group_by=day`);

  assert.equal(found.has_more, false);
  assert.equal(found.groups.length, 2 * days.length);
  const newest = found.groups.filter(({ key }: { key: string }) => key === last);
  assert.deepEqual(
    newest.map(({ currency, gross }: Record<string, unknown>) => [currency, gross]),
    [
      ['MXN', 100],
      ['USD', 100],
    ],
  );
});

/** Our clock shows this. */
function show(now: Instant): void {
  away = real.now().until(now);
}

async function changeTo(timezone: string): Promise<void> {
  const { visitor } = team.owner;
  const path = `/panel/api/${team.organizacion}/organization.change`;
  const { status, text } = await visitor.ask(path, { name: 'Papelería Luna', timezone });
  assert.equal(status, 200, text);
}

async function read(operation: string) {
  const path = `/panel/api/${team.organizacion}/${operation}`;
  const { status, text } = await team.owner.visitor.get(path);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}
