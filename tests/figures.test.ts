import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { recordBalances } from '../src/features/balances/index.ts';
import { countMerged, keepReceipt } from '../src/features/receipts/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder } from './support/app.ts';
import { openPanel } from './support/panel.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';

// Métricas: what happened over the time, and how long changes took to arrive.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
let team: Team;
const panel = openPanel(() => team.organizacion);
const figures = (span = 'day') => panel.read(team.owner, 'figures.read', { span });
const hoursAgo = (hours: number) => instance.clock.now().subtract({ hours });
const minutesAgo = (minutes: number) => instance.clock.now().subtract({ minutes });
const beforeThisHour = (minutes: number) =>
  instance.clock.now().round({ smallestUnit: 'hour', roundingMode: 'floor' }).subtract({ minutes });

before(async () => {
  team = await openTeam(instance, folder);
});

test('orders, webhooks and guides are counted by hour, and by six hours over a week', async () => {
  const nothing = await figures();
  assert.equal(nothing.slots.length, 24);
  assert.deepEqual(sumsOf(nothing), { orders: 0, webhooks: 0, guides: 0, guides_failed: 0 });
  await instance.record(
    [1, 1, 30].map((hours, index) => anOrder({ id: `A-${index}`, dateCreated: hoursAgo(hours) })),
    team.organizacion,
  );
  const connectionId = newId();
  await write(async (scope) => {
    await keepReceipt(scope, { connectionId, source: 'orders', body: '{}' });
    await countMerged(scope, { connectionId, source: 'orders' }, 5);
  });
  await attempt('ok', 1);
  await attempt('failed', 2);
  await attempt('failed', 30);

  const day = await figures();
  assert.deepEqual(sumsOf(day), { orders: 2, webhooks: 6, guides: 1, guides_failed: 1 });
  assert.equal(day.slots.at(-1).webhooks, 6, 'this hour');
  assert.equal(day.slots.at(-2).orders, 2, 'the hour before');
  const week = await figures('week');
  assert.equal(week.slots.length, 28);
  assert.deepEqual(sumsOf(week), { orders: 3, webhooks: 6, guides: 1, guides_failed: 2 });
});

test('the delay is that of changes after the first import', async () => {
  const connectionId = newId();
  const ids = ['D-1', 'D-2', 'D-3'];
  await instance.record(
    ids.map((id) => anOrder({ id })),
    team.organizacion,
  );
  await sql(
    `insert into streams (organization_id, connection_id, stream, first_import_done_at)
     values ($1, $2, 'orders', $3)`,
    [team.organizacion, connectionId, beforeThisHour(30).toString()],
  );
  const changed = (id: string, changedAt: Temporal.Instant, seconds: number) =>
    sql(
      `update orders set connection_id = $3, told_at = $4, changed_at = $5, last_updated = $4
        where organization_id = $1 and id = $2`,
      [
        ...[team.organizacion, id, connectionId, changedAt.toString()],
        changedAt.subtract({ seconds }).toString(),
      ],
    );
  await changed('D-1', beforeThisHour(5), 20);
  await changed('D-2', beforeThisHour(4), 90);
  await changed('D-3', beforeThisHour(40), 86_000);
  const [{ hours, ...delay }, ...others] = (await figures()).delays;
  const expected = { marketplace: 'mercado_libre', changes: 2, median: 20, p95: 90 };
  assert.deepEqual([delay, others], [{ ...expected, name: 'Mercado Libre' }, []]);
  assert.equal(hours.length, 24);
  assert.deepEqual(
    hours.flatMap(({ p95 }: { p95: number | null }) => p95 ?? []),
    [90],
    'the changes of one hour are one bar',
  );
});

test('a prepaid account is shown with its three figures when one changed', async () => {
  const source = { service: 'zipnova', accountId: '77', connectionId: newId() } as const;
  for (const [available, minutes] of [
    ['900', 10],
    ['900', 5],
    ['450.5', 0],
  ] as const)
    await write((scope) =>
      recordBalances(
        scope,
        source,
        [
          {
            ...{ purse: '', currency: 'MXN', pending: null, isDerived: false },
            available: decimal(available),
            balance: decimal('100'),
            creditLimit: decimal('2000'),
            asOf: minutesAgo(minutes),
          },
        ],
        { announce: false },
      ),
    );
  const { balances } = await figures();
  assert.deepEqual(
    balances.map((one: Moment) => [one.name, one.available, one.balance, one.credit_limit]),
    [
      ['Zipnova', 450.5, 100, 2000],
      ['Zipnova', 900, 100, 2000],
    ],
  );
});

interface Moment {
  readonly name: string;
  readonly available: number;
  readonly balance: number;
  readonly credit_limit: number;
}

type Write = ReturnType<typeof instance.app.database.within>['write'];

function write(work: Parameters<Write>[0]) {
  return instance.app.database.within(team.organizacion).write(work);
}

function sql(text: string, values: readonly unknown[]) {
  return instance.app.database.write((handle) => handle.sql(text, values));
}

function attempt(state: string, hours: number) {
  const id = newId();
  return sql(
    `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, queued_at)
     values ($1, $2, $3, $3, $4, $5, 'zipnova', 'MXN', $6)`,
    [team.organizacion, id, newId(), id, state, hoursAgo(hours).toString()],
  );
}

function sumsOf({ slots }: { slots: readonly Record<string, number>[] }) {
  const sum = (name: string) => slots.reduce((all, slot) => all + (slot[name] ?? 0), 0);
  return {
    orders: sum('orders'),
    webhooks: sum('webhooks'),
    guides: sum('guides'),
    guides_failed: sum('guides_failed'),
  };
}
