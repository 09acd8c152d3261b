import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { bodyOf } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';

// What buyers have open after the sale, through the operations of the panel.

let instance: TestApp;
let organizacion: string;
let owner: Known;

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  ({ owner, organizacion } = await openTeam(instance, opened.folder));
});

test('orders with an open return or claim are listed, marked and counted until it is closed', async () => {
  const bought = (minute: number) =>
    Temporal.Instant.from('2026-11-15T12:00:00Z').add({ minutes: minute });
  const back = anOrder({ id: 'D-1', dateCreated: bought(1), tags: ['pack_order', 'open_return'] });
  const both = anOrder({
    id: 'R-1',
    dateCreated: bought(2),
    status: 'delivered',
    tags: ['open_return', 'open_claim'],
  });
  await instance.record([anOrder({ id: 'A-1', dateCreated: bought(0) }), back, both], organizacion);
  const list = async (filters: Readonly<Record<string, string>>) => {
    const found = await read('orders.list', filters);
    const marks = found.open.map((row: { id: string; tag: string }) => `${row.id} ${row.tag}`);
    return [found.data.map(({ id }: { id: string }) => id), marks.sort()];
  };
  const marks = ['D-1 open_return', 'R-1 open_claim', 'R-1 open_return'];

  assert.deepEqual(await list({}), [['R-1', 'D-1', 'A-1'], marks]);
  assert.deepEqual(await list({ tag: 'open_return,open_claim' }), [['R-1', 'D-1'], marks]);
  assert.deepEqual((await list({ tag: 'open_claim' }))[0], ['R-1']);
  assert.deepEqual((await list({ tag: 'open_return', status: 'delivered' }))[0], ['R-1']);
  assert.deepEqual((await list({ tag: 'open_claim', search: 'lucia' }))[0], ['R-1']);
  assert.deepEqual(await read('orders.open'), { count: 2, has_more: false });

  const changedAt = both.changedAt?.add({ hours: 1 }) ?? null;
  await instance.record([{ ...both, changedAt, tags: ['open_return'] }], organizacion);
  assert.deepEqual((await list({ tag: 'open_claim' }))[0], []);
  await instance.record(
    [{ ...both, changedAt: changedAt?.add({ hours: 1 }) ?? null, tags: [] }],
    organizacion,
  );
  assert.deepEqual(await list({}), [['R-1', 'D-1', 'A-1'], ['D-1 open_return']]);
  assert.deepEqual(await read('orders.open'), { count: 1, has_more: false });
});

test('an order whose cancellation was requested is marked, filtered and counted until it is decided', async () => {
  const before = (await read('orders.open')).count;
  const asked = anOrder({ id: 'C-1', marketplace: 'vtex', tags: ['cancellation_requested'] });
  await instance.record([asked], organizacion);
  const filtered = () => read('orders.list', { tag: 'cancellation_requested' });

  const { data, open } = await filtered();
  assert.deepEqual(
    [data, open].map((rows) => rows.map(({ id }: { id: string }) => id)),
    [['C-1'], ['C-1']],
  );
  assert.equal(open[0].tag, 'cancellation_requested');
  assert.equal((await read('orders.open')).count, before + 1);

  const changedAt = asked.changedAt?.add({ hours: 1 }) ?? null;
  await instance.record([{ ...asked, changedAt, tags: [] }], organizacion);
  assert.deepEqual((await filtered()).data, []);
});

async function read(name: string, input: Readonly<Record<string, string>> = {}) {
  const path = `/panel/api/${organizacion}/${name}?${new URLSearchParams(input)}`;
  const answer = await owner.visitor.get(path);
  assert.equal(answer.status, 200, answer.text);
  return bodyOf(answer);
}
