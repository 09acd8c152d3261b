import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, apartAmong } from './apart.ts';
import type { Read } from './contract.ts';
import { UpstreamError } from './upstream-error.ts';

test('what one thing’s own answer makes impossible sets it aside, and anything else is thrown', async () => {
  const failing = (error: Error) => apart('A1', () => Promise.reject(error));

  for (const error of [
    new UpstreamError('too_large', 'vtex', 'the answer is larger than 8388608 bytes'),
    new UpstreamError('unreadable', 'vtex', 'the body is not JSON'),
    new UpstreamError('refused', 'vtex', 'answered 400'),
    new SyntaxError('Unexpected token'),
    new URIError('URI malformed'),
  ]) {
    const [aside, ...others] = await failing(error);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [aside?.ok, aside && !aside.ok && aside.externalId],
      [false, 'A1'],
      error.message,
    );
  }
  for (const error of [
    new UpstreamError('unreachable', 'vtex', 'answered 503'),
    new UpstreamError('unauthorized', 'vtex', 'answered 401'),
    new UpstreamError('forbidden', 'vtex', 'answered 403'),
    new Error('the instance is stopping'),
  ])
    await assert.rejects(failing(error), error);
});

test('of several that are asked for together only those are set aside that make the answer too large', async () => {
  const asked: number[] = [];
  const ids = Array.from({ length: 9 }, (_, number) => `A${number}`);

  const reads = await apartAmong(ids, async (some): Promise<Read<string>[]> => {
    asked.push(some.length);
    if (some.includes('A6')) throw new UpstreamError('too_large', 'tiktok_shop', 'too large');
    return some.map((item) => ({ ok: true, item }));
  });

  assert.deepEqual(
    reads.map((read) => (read.ok ? read.item : `${read.externalId} aside`)),
    ids.map((one) => (one === 'A6' ? 'A6 aside' : one)),
  );
  assert.ok(asked.length <= 9, `${asked.length} calls`);
});
