import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isCurrent, SealError, sameSecret, seal, unseal, unsealOrNull } from './seal.ts';

const keyring = { current: randomBytes(32), previous: null };
const binding = { organizationId: 'o1', subjectId: 'c1', field: 'credentials' };

test('a box opens where it belongs, and two boxes of one text differ', () => {
  const box = seal(keyring, binding, 'contraseña ñandú');
  assert.equal(unseal(keyring, binding, box), 'contraseña ñandú');
  assert.notEqual(seal(keyring, binding, 'x'), seal(keyring, binding, 'x'));
});

test('a box moved to another organisation, connection or field does not open', () => {
  const box = seal(keyring, binding, 'secret');
  for (const moved of [{ organizationId: 'o2' }, { subjectId: 'c2' }, { field: 'verifier' }]) {
    assert.throws(() => unseal(keyring, { ...binding, ...moved }, box), SealError);
  }
});

test('no single flipped bit is accepted', () => {
  const bytes = Buffer.from(seal(keyring, binding, 'secret'), 'base64');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.throws(
      () => unseal(keyring, binding, flipped.toString('base64')),
      SealError,
      `bit ${bit}`,
    );
  }
});

test('rubbish is refused, not crashed on', () => {
  for (const box of ['', 'AA==', '%%%', 'A'.repeat(20)])
    assert.throws(() => unseal(keyring, binding, box), SealError);
});

test('the previous key still opens what it made, and only that needs sealing again', () => {
  const former = seal(keyring, binding, 'secret');
  const rotated = { current: randomBytes(32), previous: keyring.current };
  assert.equal(unseal(rotated, binding, former), 'secret');
  assert.equal(isCurrent(rotated, former), false);
  assert.equal(isCurrent(rotated, seal(rotated, binding, 'secret')), true);
  assert.throws(
    () => unseal({ current: randomBytes(32), previous: null }, binding, former),
    SealError,
  );
});

test('a box of an earlier release opens', () => {
  const ring = { current: Buffer.alloc(32, 7), previous: null };
  const box = 'AaF0W8a5yp02V2Godru+IrLskMeVG379+dSgS9M2NqFYnwl+9v70nQ==';
  assert.equal(unseal(ring, binding, box), 'secreto');
});

test('where a box may be shut, only that is no error', () => {
  const box = seal(keyring, binding, 'secret');
  assert.equal(unsealOrNull(keyring, binding, box), 'secret');
  assert.equal(unsealOrNull(keyring, { ...binding, field: 'other' }, box), null);
  assert.throws(() => unsealOrNull(keyring, binding, undefined as unknown as string), TypeError);
});

test('secrets of any lengths are compared', () => {
  assert.ok(sameSecret('abc', 'abc'));
  assert.ok(!sameSecret('abc', 'abcd'));
  assert.ok(!sameSecret('', 'a'));
  assert.ok(sameSecret(Buffer.of(0xff, 0), Buffer.of(0xff, 0)));
  assert.ok(!sameSecret(Buffer.of(0xff, 0), Buffer.of(0xfe, 0)));
  assert.ok(!sameSecret(Buffer.of(), Buffer.of(0)));
});
