import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from './failure.ts';
import { derive, type Keyring } from './seal.ts';

const VERSION = 1;
const MAC_BYTES = 16;

/** Signs and opens page cursors: opaque text that only this house can make. */
export interface CursorMaker {
  make(content: unknown): string;
  /** @throws Failure invalid_cursor when the text was altered, is foreign, or is rubbish. */
  open(text: string): unknown;
}

export function cursorMaker(keyring: Keyring): CursorMaker {
  const keys = [keyring.current, keyring.previous]
    .filter((master) => master !== null)
    .map((master) => derive(master, 'cursor'));
  const [signing] = keys as [Buffer];

  return {
    make(content) {
      const body = Buffer.from(JSON.stringify([VERSION, content]));
      return Buffer.concat([mac(signing, body), body]).toString('base64url');
    },
    open(text) {
      if (!/^[\w-]+$/.test(text)) throw fail('invalid_cursor', { param: 'cursor' });
      const bytes = Buffer.from(text, 'base64url');
      const seen = bytes.subarray(0, MAC_BYTES);
      const body = bytes.subarray(MAC_BYTES);
      // A second spelling of the same bytes (unused bits) is refused too: one cursor, one text.
      const genuine =
        seen.length === MAC_BYTES &&
        bytes.toString('base64url') === text &&
        keys.some((key) => timingSafeEqual(mac(key, body), seen));
      if (!genuine) throw fail('invalid_cursor', { param: 'cursor' });
      const [version, content] = JSON.parse(body.toString('utf8')) as [number, unknown];
      if (version !== VERSION) throw fail('invalid_cursor', { param: 'cursor' });
      return content;
    },
  };
}

function mac(key: Buffer, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);
}
