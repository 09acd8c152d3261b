import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPagesOf } from './paging.ts';
import { behind, halfOf, spanInPagesOf, tokenInPagesOf, tokenPositionOf } from './token-paging.ts';

test('smaller pages by number begin where the larger ones ended, whatever their size', () => {
  for (const size of [100, 50, 7, 1])
    for (const page of [1, 2, 3, 12])
      for (const limit of [100, 50, 25, 12, 6, 3, 1]) {
        const position = inPagesOf(limit, { page, size });
        assert.equal(
          (position.page - 1) * position.size,
          (page - 1) * size,
          'as many rows lie before it',
        );
        assert.ok(position.size <= limit);
      }
});

test('a token leads on in pages of its own size, and smaller ones begin the list anew', () => {
  assert.deepEqual(tokenInPagesOf(50, { token: null, size: 100 }), { token: null, size: 50 });
  assert.deepEqual(tokenInPagesOf(100, { token: 'a', size: 50 }), { token: 'a', size: 50 });
  assert.deepEqual(tokenInPagesOf(25, { token: 'a', size: 50 }), { token: null, size: 25 });
});

test('a position of an older release is the token alone', () => {
  assert.deepEqual(tokenPositionOf('abc', 50), { token: 'abc', size: 50 });
  assert.deepEqual(tokenPositionOf(null, 50), { token: null, size: 50 });
  assert.deepEqual(tokenPositionOf('{"token":"abc","size":12}', 50), { token: 'abc', size: 12 });
});

test('a span that begins anew for smaller pages is as much shorter, and the next ones reach its end', () => {
  const whole = { from: 0, to: 1_000, token: 'a', size: 100 };
  assert.deepEqual(spanInPagesOf(100, whole, 1), whole);
  const quarter = spanInPagesOf(25, whole, 1);
  assert.deepEqual(quarter, { from: 0, to: 250, token: null, size: 25 });
  assert.deepEqual(behind(quarter, 1_000), { from: 250, to: 750, token: null, size: 25 });
  assert.equal(behind({ from: 250, to: 750, token: null }, 1_000)?.to, 1_000);
  assert.equal(behind(whole, 1_000), null);
});

test('a span is halved down to the shortest, and no further', () => {
  const lengths: number[] = [];
  for (let part = halfOf({ from: 5, to: 105, token: 'a' }, 10); part; part = halfOf(part, 10))
    lengths.push(part.to - part.from);

  assert.deepEqual(lengths, [50, 25, 12, 10]);
});
