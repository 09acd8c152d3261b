import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApiKey, KEY_LENGTH, newApiKey } from './api-key.ts';

test('a key has 49 characters: a prefix, chance, and a checksum', () => {
  const key = newApiKey();
  assert.equal(key.length, 49);
  assert.equal(KEY_LENGTH, 49);
  assert.match(key, /^tgs_[0-9A-Za-z]{45}$/);
  assert.ok(isApiKey(key));
});

test('a key with one wrong character is none', () => {
  const key = newApiKey();
  for (let at = 0; at < key.length; at++) {
    const wrong = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    assert.equal(isApiKey(wrong), false, `position ${at}`);
  }
  for (const text of [
    '',
    'tgs_',
    key.slice(0, -1),
    `${key}x`,
    key.replace('tgs_', 'sk__'),
    key.toLowerCase(),
  ])
    assert.equal(isApiKey(text), false);
});

test('every letter is as likely as any other', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 2_000; made++)
    for (const letter of newApiKey().slice(4, 43))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const expected = (2_000 * 39) / 62;
  assert.equal(counts.size, 62);
  // Six standard deviations: fails by chance less than once in ten million runs.
  for (const [letter, count] of counts)
    assert.ok(
      Math.abs(count - expected) < 6 * Math.sqrt(expected),
      `${letter}: ${count} of about ${expected}`,
    );
});
