import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { cursorMaker } from './cursor.ts';
import { Failure } from './failure.ts';
import { derive } from './seal.ts';

const keyring = { current: randomBytes(32), previous: null };
const cursors = cursorMaker(keyring);
const refused = (error: unknown) => error instanceof Failure && error.code === 'invalid_cursor';

test('a cursor gives back what it was made of', () => {
  const content = ['orders', 'ñ', [1, null], 1_795_226_858_596_201];
  assert.deepEqual(cursors.open(cursors.make(content)), content);
});

test('a cursor begins with the HMAC of the rest', () => {
  for (const length of [0, 1, 55, 56, 64, 500]) {
    const cursor = cursors.make('x'.repeat(length));
    const mac = createHmac('sha256', derive(keyring.current, 'cursor')).update(
      cursor.slice(24),
      'base64url',
    );
    assert.equal(cursor.slice(0, 24), mac.digest('base64url').slice(0, 24));
  }
});

test('an altered, foreign or rubbish cursor is refused', () => {
  const cursor = cursors.make(['orders']);
  for (let at = 0; at < cursor.length; at++) {
    const altered = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
    assert.throws(() => cursors.open(altered), refused, `position ${at}`);
  }
  const foreign = cursorMaker({ current: randomBytes(32), previous: null }).make(['orders']);
  for (const text of [foreign, '', 'x', '\0', 'á', cursor.slice(1), `${cursor}A`, '='.repeat(40)])
    assert.throws(() => cursors.open(text), refused);
});

test('after a rotation of keys the former cursors still open', () => {
  const rotated = cursorMaker({ current: randomBytes(32), previous: keyring.current });
  assert.deepEqual(rotated.open(cursors.make(['orders'])), ['orders']);
});

test('a cursor of an earlier release opens; one of another version is refused', () => {
  const ring = { current: Buffer.alloc(32, 7), previous: null };
  const former = 'IQ-odtJa0jiJH6-JO8h795B0WzEsWyJvcmRlcnMiXV0';
  assert.deepEqual(cursorMaker(ring).open(former), ['orders']);
  const body = Buffer.from(JSON.stringify([2, ['orders']]));
  const mac = createHmac('sha256', derive(ring.current, 'cursor')).update(body);
  const later = mac.digest('base64url').slice(0, 24) + body.toString('base64url');
  assert.throws(() => cursorMaker(ring).open(later), refused);
});
