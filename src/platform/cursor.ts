import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from './failure.ts';
import { derive, type Keyring } from './seal.ts';

const VERSION = 1;
/** 18 bytes: whole characters of base64, so that no spare bits give a cursor a second spelling. */
const MAC_LENGTH = 24;

/** Signs and opens page cursors: opaque text that only this installation can make. */
export interface CursorMaker {
  make(content: unknown): string;
  /** @throws Failure invalid_cursor when the text was altered, is foreign, or is rubbish. */
  open(text: string): unknown;
}

export function cursorMaker(keyring: Keyring): CursorMaker {
  const keys = [keyring.current, keyring.previous]
    .filter((master) => master !== null)
    .map((master) => derive(master, 'cursor'));
  const [newest] = keys as [Buffer];

  return {
    make(content) {
      const body = Buffer.from(JSON.stringify([VERSION, content]));
      return macOf(newest, body) + body.toString('base64url');
    },
    open(text) {
      const seen = Buffer.from(text.slice(0, MAC_LENGTH));
      const body = Buffer.from(text.slice(MAC_LENGTH), 'base64url');
      const genuine =
        body.toString('base64url') === text.slice(MAC_LENGTH) &&
        keys.some((key) => isSame(seen, Buffer.from(macOf(key, body))));
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

/** The first characters of HMAC-SHA-256, in base64url. */
function macOf(key: Buffer, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('base64url').slice(0, MAC_LENGTH);
}
