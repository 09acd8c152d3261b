import { z } from 'zod';

export const FORMAT = 'tianguis-backup-1';

/** What a backup says of itself, readable without the key. */
export const About = z.object({
  format: z.literal(FORMAT),
  release: z.string(),
  /** Names of the migrations of its schema. */
  migrations: z.array(z.string()),
  /** The instant of all its rows, in ISO 8601. */
  as_of: z.string(),
  postgres: z.string(),
});
export type About = z.infer<typeof About>;

/** A frame of the content: the head of a table or the end as JSON, rows, or nothing after them. */
export const TableHead = z.object({ table: z.string(), columns: z.array(z.string()) });
export const End = z.object({ rows: z.int(), sequences: z.record(z.string(), z.string()) });

const LENGTH_BYTES = 4;
/** A longer frame is refused. */
const MOST_FRAME_BYTES = 64 * 1024 * 1024;

export function frame(content: Buffer | object | null): Buffer {
  const bytes =
    content === null
      ? Buffer.alloc(0)
      : Buffer.isBuffer(content)
        ? content
        : Buffer.from(JSON.stringify(content));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** @throws Error where the bytes are no frames */
export async function* framesIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (;;) {
      if (waiting.length < LENGTH_BYTES) break;
      const length = waiting.readUInt32BE();
      if (length > MOST_FRAME_BYTES) throw new Error('a frame of the backup is too long');
      if (waiting.length < LENGTH_BYTES + length) break;
      yield waiting.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      waiting = waiting.subarray(LENGTH_BYTES + length);
    }
  }
  if (waiting.length > 0) throw new Error('the backup ends within a frame');
}
