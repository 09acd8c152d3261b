import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from './failure.ts';
import { openGroupCommit } from './group-commit.ts';

/** Doubles numbers; each batch ends when the test says so. */
function openDoubles(
  { most = 100, atOnce = 1 } = {},
  refuse: (items: readonly number[]) => Error | null = () => null,
) {
  const batches: { key: string; items: readonly number[]; end: () => void }[] = [];
  const doubles = openGroupCommit<number, number>({ most, atOnce }, async (key, items) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    batches.push({ key, items, end: resolve });
    await promise;
    const error = refuse(items);
    if (error) throw error;
    return items.map((item) => item * 2);
  });
  const endAll = async () => {
    for (let at = 0; at < batches.length; at++) {
      batches[at]?.end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { doubles, batches, endAll, worked: () => batches.map(({ items }) => items) };
}

test('calls that arrive while a batch runs form the next one', async () => {
  const { doubles, endAll, worked } = openDoubles();

  const asked = Promise.all([1, 2, 3].map((item) => doubles.add('a', item)));
  await endAll();

  assert.deepEqual(await asked, [2, 4, 6]);
  assert.deepEqual(worked(), [[1], [2, 3]]);
});

test('those of another key do not wait, and no batch is larger than allowed', async () => {
  const { doubles, batches, endAll, worked } = openDoubles({ most: 2 });

  const asked = Promise.all([
    doubles.add('a', 1),
    doubles.add('b', 2),
    ...[3, 4, 5].map((item) => doubles.add('a', item)),
  ]);
  assert.deepEqual(
    batches.map(({ key }) => key),
    ['a', 'b'],
  );
  await endAll();

  assert.deepEqual(await asked, [2, 4, 6, 8, 10]);
  assert.deepEqual(worked(), [[1], [2], [3, 4], [5]]);
});

test('with two at once the second does not wait, and the third does', async () => {
  const { doubles, batches, endAll, worked } = openDoubles({ atOnce: 2 });

  const asked = Promise.all([1, 2, 3, 4].map((item) => doubles.add('a', item)));
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1], [2]],
  );
  await endAll();

  assert.deepEqual(await asked, [2, 4, 6, 8]);
  assert.deepEqual(worked(), [[1], [2], [3, 4]]);
});

test('one that cannot be done harms no other', async () => {
  const { doubles, endAll, worked } = openDoubles({}, (items) =>
    items.includes(3) ? new Error('not three') : null,
  );

  const asked = Promise.allSettled([1, 2, 3, 4].map((item) => doubles.add('a', item)));
  await endAll();

  assert.deepEqual(
    (await asked).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [2, 4, 'not three', 8],
  );
  assert.deepEqual(worked(), [[1], [2, 3, 4], [2], [3], [4]]);
});

test('a failure of ours is everybody’s, and asked for once', async () => {
  const { doubles, endAll, worked } = openDoubles({}, () => fail('service_unavailable'));

  const asked = Promise.allSettled([1, 2, 3].map((item) => doubles.add('a', item)));
  await endAll();

  assert.deepEqual(
    (await asked).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual(worked(), [[1], [2, 3]]);
});

test('after a failure the next one is worked on again', async () => {
  const { doubles, endAll } = openDoubles({}, (items) =>
    items.includes(1) ? new Error('not one') : null,
  );
  const first = assert.rejects(doubles.add('a', 1), /not one/);
  await endAll();
  await first;

  const second = doubles.add('a', 2);
  await endAll();

  assert.equal(await second, 4);
});
