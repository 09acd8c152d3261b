/**
 * A file that only the master key opens, written and read in pieces: a head in clear, then boxes of
 * AES-256-GCM, each bound to the head, to its place, and to whether it is the last one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { decrypt, derive, encrypt, type Keyring, keyNumber, SealError } from './seal.ts';

const BOX_BYTES = 256 * 1024;
/** IV and tag. */
const OVERHEAD = 28;
const MOST_HEAD_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;

/** A file that is cut off, altered, or of another key; `what` says which. */
export class SealedFileError extends Error {
  readonly what: 'cut' | 'altered' | 'key' | 'other';

  constructor(what: SealedFileError['what']) {
    super(`the sealed file cannot be read: ${what}`);
    this.what = what;
  }
}

const Head = z.object({ salt: z.string(), key: z.int(), about: z.unknown() });

/** @param about what is readable without the key */
export async function* sealFile(
  { current }: Pick<Keyring, 'current'>,
  about: object,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(16).toString('hex');
  const head = Buffer.from(`${JSON.stringify({ salt, key: keyNumber(current), about })}\n`);
  yield head;
  const key = keyOf(current, salt);
  let place = 0;
  for await (const [piece, isLast] of piecesOf(content)) {
    const box = encrypt(key, boundTo(head, place++, isLast), piece);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(box.length);
    yield Buffer.concat([length, box]);
  }
}

/**
 * @returns the head in clear, unproved until the content is read; and the content
 * @throws SealedFileError, also while the content is read
 */
export async function openSealedFile(
  keyring: Keyring,
  bytes: AsyncIterable<Buffer>,
): Promise<{ about: unknown; content: AsyncGenerator<Buffer> }> {
  const reader = openReader(bytes);
  const line = await reader.lineWithin(MOST_HEAD_BYTES);
  const head = Head.safeParse(jsonOf(line));
  if (!head.success) throw new SealedFileError('other');
  const { salt, key: number, about } = head.data;
  const masters = [keyring.current, keyring.previous].filter((one) => one !== null);
  const master = masters.find((one) => keyNumber(one) === number);
  if (!master) throw new SealedFileError('key');
  return { about, content: contentOf(reader, keyOf(master, salt), line) };
}

async function* contentOf(reader: Reader, key: Buffer, head: Buffer): AsyncGenerator<Buffer> {
  for (let place = 0; ; place++) {
    const length = (await reader.take(LENGTH_BYTES)).readUInt32BE();
    if (length > BOX_BYTES + OVERHEAD) throw new SealedFileError('altered');
    const box = await reader.take(length);
    const isLast = await reader.isAtEnd();
    yield opened(key, box, (last) => boundTo(head, place, last), isLast);
    if (isLast) return;
  }
}

function opened(key: Buffer, box: Buffer, bound: (isLast: boolean) => Buffer, isLast: boolean) {
  const open = (last: boolean) => {
    try {
      return decrypt(key, bound(last), box);
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  };
  const content = open(isLast);
  if (content) return content;
  throw new SealedFileError(isLast && open(false) ? 'cut' : 'altered');
}

function keyOf(master: Buffer, salt: string): Buffer {
  return derive(derive(master, 'sealed file'), salt);
}

function boundTo(head: Buffer, place: number, isLast: boolean): Buffer {
  const digest = createHash('sha256').update(head).digest();
  return Buffer.concat([digest, Buffer.from(`${place} ${isLast ? 'last' : 'more'}`)]);
}

/** Pieces of one size, the last one marked; one piece, empty, where there is no content. */
async function* piecesOf(content: AsyncIterable<Buffer>): AsyncGenerator<[Buffer, boolean]> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    waiting = Buffer.concat([waiting, chunk]);
    let start = 0;
    // The last piece is kept back: only the end of the content shows which one it is.
    for (; waiting.length - start > BOX_BYTES; start += BOX_BYTES)
      yield [waiting.subarray(start, start + BOX_BYTES), false];
    waiting = waiting.subarray(start);
  }
  yield [waiting, true];
}

interface Reader {
  take(bytes: number): Promise<Buffer>;
  lineWithin(bytes: number): Promise<Buffer>;
  isAtEnd(): Promise<boolean>;
}

function openReader(bytes: AsyncIterable<Buffer>): Reader {
  const source = bytes[Symbol.asyncIterator]();
  let waiting: Buffer = Buffer.alloc(0);
  async function more(): Promise<boolean> {
    const { done, value } = await source.next();
    if (done) return false;
    waiting = waiting.length === 0 ? value : Buffer.concat([waiting, value]);
    return true;
  }
  function cut(bytesWanted: number): Buffer {
    const taken = waiting.subarray(0, bytesWanted);
    waiting = waiting.subarray(bytesWanted);
    return taken;
  }
  return {
    async take(wanted) {
      while (waiting.length < wanted) if (!(await more())) throw new SealedFileError('cut');
      return cut(wanted);
    },
    async lineWithin(most) {
      for (;;) {
        const end = waiting.indexOf('\n');
        if (end >= 0) return cut(end + 1);
        if (waiting.length > most || !(await more())) throw new SealedFileError('other');
      }
    },
    async isAtEnd() {
      while (waiting.length === 0) if (!(await more())) return true;
      return false;
    },
  };
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return null;
  }
}
