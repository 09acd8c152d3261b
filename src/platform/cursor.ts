import { hash, timingSafeEqual } from 'node:crypto';
import { fail } from './failure.ts';
import { derive, type Keyring } from './seal.ts';

const VERSION = 1;
/** 18 bytes: whole characters of base64, so that no spare bits give a cursor a second spelling. */
const MAC_LENGTH = 24;
const BLOCK_BYTES = 64;

/** Signs and opens page cursors: opaque text that only this house can make. */
export interface CursorMaker {
  make(content: unknown): string;
  /** @throws Failure invalid_cursor when the text was altered, is foreign, or is rubbish. */
  open(text: string): unknown;
}

export function cursorMaker(keyring: Keyring): CursorMaker {
  const macs = [keyring.current, keyring.previous]
    .filter((master) => master !== null)
    .map((master) => hmac(derive(master, 'cursor')));
  const [sign] = macs as [Mac];

  return {
    make(content) {
      const body = Buffer.from(JSON.stringify([VERSION, content]));
      return sign(body) + body.toString('base64url');
    },
    open(text) {
      const seen = Buffer.from(text.slice(0, MAC_LENGTH));
      const body = Buffer.from(text.slice(MAC_LENGTH), 'base64url');
      const genuine =
        body.toString('base64url') === text.slice(MAC_LENGTH) &&
        macs.some((mac) => isSame(seen, Buffer.from(mac(body))));
      if (!genuine) throw fail('invalid_cursor', { param: 'cursor' });
      const [version, content] = JSON.parse(body.toString('utf8')) as [number, unknown];
      if (version !== VERSION) throw fail('invalid_cursor', { param: 'cursor' });
      return content;
    },
  };
}

function isSame(seen: Buffer, expected: Buffer): boolean {
  return seen.length === expected.length && timingSafeEqual(seen, expected);
}

/** In base64url. */
type Mac = (body: Buffer) => string;

/**
 * HMAC-SHA-256 (RFC 2104) by two digests in one go each: an Hmac object for every page costs four
 * times as much.
 */
function hmac(key: Buffer): Mac {
  const pad = (byte: number) =>
    Buffer.alloc(BLOCK_BYTES, byte).map((each, at) => each ^ (key[at] ?? 0));
  const [inner, outer] = [pad(0x36), pad(0x5c)];
  return (body) => {
    const first = Buffer.from(hash('sha256', Buffer.concat([inner, body]), 'latin1'), 'latin1');
    return hash('sha256', Buffer.concat([outer, first]), 'base64url').slice(0, MAC_LENGTH);
  };
}
