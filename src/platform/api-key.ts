import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from './ids.ts';

export const KEY_PREFIX = 'tgs_';
const KEY_RANDOM = 39;
const KEY_CHECKSUM = 6;
/** Characters of a whole API key: prefix, 39 random (232 bits), checksum. */
export const KEY_LENGTH = KEY_PREFIX.length + KEY_RANDOM + KEY_CHECKSUM;

export function newApiKey(): string {
  const body = KEY_PREFIX + randomBase62(KEY_RANDOM);
  return body + checksum(body);
}

/**
 * Whether the text could be a key of ours: prefix, length, alphabet and checksum. Costs no look-up.
 */
export function isApiKey(text: string): boolean {
  if (text.length !== KEY_LENGTH || !text.startsWith(KEY_PREFIX) || !/^[0-9A-Za-z_]+$/.test(text))
    return false;
  return checksum(text.slice(0, -KEY_CHECKSUM)) === text.slice(-KEY_CHECKSUM);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < KEY_CHECKSUM; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
